// Package resident runs resident workers: an engine's job with one task for each worker. A task stays for the whole
// fit, and keeps its rows and its replica. The workers talk to a coordinator (package coordination), which package mesh
// hosts. Both training masters use it: gradient sharing for updates, parameter averaging for rounds.
//
// Start begins coordinator and job, Job.Command sends the coordinator a command, and Job.Stop ends both. A task calls
// Serve.
package resident
