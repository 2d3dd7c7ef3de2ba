//! Ctrl-C: work is asked to stop; a second Ctrl-C, or two seconds of deafness, end the process.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The exit code of an interrupted command.
pub(crate) const INTERRUPTED: u8 = 130;

/// Set while files are being written: then the process may only end by itself.
pub(crate) static WRITING: AtomicBool = AtomicBool::new(false);

/// What else is to be done at the first signal.
static ALSO: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Has something done at the first signal, besides setting the flag. Only the first call counts.
pub(crate) fn also(work: impl Fn() + Send + Sync + 'static) {
    let _ = ALSO.set(Box::new(work));
}

/// Listens for signals; the flag is set by the first.
pub(crate) fn listen() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    let times = AtomicUsize::new(0);
    // Without a handler Ctrl-C simply kills, which is right too.
    let _ = ctrlc::set_handler(move || {
        asked.store(true, Ordering::Relaxed);
        if let Some(also) = ALSO.get() {
            also();
        }
        if times.fetch_add(1, Ordering::Relaxed) > 0 {
            end();
        }
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_secs(2));
            end();
        });
    });
    stop
}

fn end() {
    if !WRITING.load(Ordering::SeqCst) {
        std::process::exit(i32::from(INTERRUPTED));
    }
}
