//! Moves work on large texts off the async threads that serve all sessions.
//!
//! Long work on one client's text must not delay another client's request, or `/healthz`. It runs
//! on a thread of its own, with limited concurrency, so that the rest of the machine stays free for
//! the others.

use std::{
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{LazyLock, mpsc},
    thread::available_parallelism,
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::{Semaphore, oneshot},
    task::block_in_place,
};

/// Work on fewer bytes than this runs in place: moving it would take longer.
pub const LARGE_BYTES_MIN: usize = 8 * 1024;

/// At most half of the processors work on large texts at once.
static PLACES: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZeroUsize::get).div_ceil(2)));

/// Runs work on a text of `bytes` bytes, off the async threads if it is large. Callers are served
/// in order.
pub async fn offload<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let is_shared = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    if bytes < LARGE_BYTES_MIN || !is_shared {
        return work();
    }
    // The semaphore is never closed.
    let _place = PLACES.acquire().await;
    block_in_place(work)
}

/// A job of a background thread.
type Job = Box<dyn FnOnce() + Send>;

/// A thread that runs one job after the other, with lower priority than the threads that serve
/// clients.
#[derive(Debug, Clone)]
pub struct BackgroundThread {
    jobs: mpsc::Sender<Job>,
}

impl BackgroundThread {
    /// Starts a thread of that name; it ends when its last handle is dropped.
    pub fn start(name: &str) -> std::io::Result<Self> {
        let (jobs, waiting) = mpsc::channel::<Job>();
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            give_way();
            waiting.into_iter().for_each(|job| job());
        })?;
        Ok(Self { jobs })
    }

    /// Runs a job there; none if it panicked.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move || {
            if let Ok(result) = catch_unwind(AssertUnwindSafe(work)) {
                // A caller that has gone needs no answer.
                let _ = reply.send(result);
            }
        });
        self.jobs.send(job).ok()?;
        answer.await.ok()
    }
}

/// Lowers the priority of this thread; under load it still gets about a third of a normal thread's
/// time.
fn give_way() {
    /// Lower than usual; with the lowest nothing would get done on a busy machine.
    #[cfg(target_os = "linux")]
    const LOW: i32 = 5;
    // Linux has a priority for each thread. Where it cannot be set, the work runs at normal
    // priority.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), LOW);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn work_in_the_background_outlives_what_breaks_down() {
        let background = BackgroundThread::start("test").unwrap();
        assert_eq!(background.run(|| 1 + 1).await, Some(2));
        assert_eq!(background.run(|| -> u8 { panic!("on purpose") }).await, None);
        assert_eq!(background.run(|| "on").await, Some("on"));
    }

    #[tokio::test]
    async fn one_thread_does_everything_itself() {
        assert_eq!(offload(usize::MAX, || 1 + 1).await, 2);
    }

    /// More jobs than threads wait for each other, and others are served meanwhile.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_are_served_while_a_large_text_is_worked_on() {
        let (release, released) = std::sync::mpsc::channel::<()>();
        let working = tokio::spawn(offload(LARGE_BYTES_MIN, move || released.recv().is_ok()));
        // With its one thread taken, the runtime could never run this.
        let other = tokio::spawn(async move { release.send(()) });
        assert!(other.await.unwrap().is_ok());
        assert!(working.await.unwrap());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn only_so_much_is_worked_on_at_once() {
        static AT_ONCE: AtomicUsize = AtomicUsize::new(0);
        let most = PLACES.available_permits();
        let work = || {
            let now = AT_ONCE.fetch_add(1, Ordering::SeqCst) + 1;
            std::thread::yield_now();
            AT_ONCE.fetch_sub(1, Ordering::SeqCst);
            now
        };
        let all = (0..64).map(|_| tokio::spawn(offload(LARGE_BYTES_MIN, work)));
        for one in futures::future::join_all(all).await {
            assert!(one.unwrap() <= most.max(1));
        }
    }
}
