// Package resident keeps workers in place for as long as a fit takes: an engine's job of one task a worker, each of which
// keeps its rows and its replica, and a coordinator that they talk to (package gradshare, whose machines it hosts by package
// mesh). Both training masters use it: gradient sharing for its updates, parameter averaging for its rounds.
//
// Start begins coordinator and job, Job.Command gives the coordinator the next thing to do, Job.Stop ends both. In a task,
// Serve is the worker's side.
package resident
