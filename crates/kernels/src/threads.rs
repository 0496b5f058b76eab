//! Threads that share a sink.

use super::Sink;
use nimrule_limits::LimitExceeded;
use std::thread;

/// Runs every worker with its part of a sink: one of them here, each other in a thread
/// of its own. A single worker gets the sink itself.
///
/// # Errors
///
/// An error of a worker, after all have ended.
pub fn share_sink<W: Send>(
    mut workers: impl ExactSizeIterator<Item = W>,
    sink: &mut dyn Sink,
    work: impl Fn(W, &mut dyn Sink) -> Result<(), LimitExceeded> + Sync,
) -> Result<(), LimitExceeded> {
    if workers.len() == 1 {
        return workers.try_for_each(|worker| work(worker, sink));
    }
    let mut parts = sink.parts(workers.len()).into_iter().zip(workers);
    let here = parts.next();
    let work = &work;
    let ended = thread::scope(|scope| {
        let others: Vec<_> = parts
            .map(|(mut part, worker)| scope.spawn(move || work(worker, &mut *part)))
            .collect();
        let here = here.map(|(mut part, worker)| work(worker, &mut *part));
        let others = others.into_iter().map(|other| match other.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        others.chain(here).collect()
    });
    sink.merge_parts();
    ended
}
