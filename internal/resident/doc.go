// Package resident runs resident workers: an engine's job with one task for each worker. A task stays for a whole fit,
// and keeps its rows and its replica. The workers talk to a coordinator (package coordination), which package mesh
// hosts. Both training masters use it: gradient sharing for updates, parameter averaging for rounds.
//
// Start starts the coordinator and the job, Job.Command sends the coordinator a command, and Job.Stop ends both. A task
// calls Serve.
package resident
