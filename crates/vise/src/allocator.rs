//! Memory: the parser, which is C, allocates from where Rust does (4 to 7 % of a parse, and one heap to look at), and pages
//! are small. With large ones an index of rust-analyzer held a fifth more memory and spent a tenth of its time on
//! clearing them, a search of Django twice the memory. What is free goes back to the kernel after a tenth of a second,
//! rather than a whole one: an index of Django holds 225 MB at most in place of 260, and takes no longer.

use std::ffi::{c_int, c_long, c_void};

use libmimalloc_sys::{mi_free, mi_malloc, mi_realloc, mi_zalloc};

/// Makes the parser use this binary's allocator. To be called before anything is parsed.
pub(crate) fn share_with_parser() {
    let allocator = vise_tools::Allocator { malloc: mi_malloc, calloc: zeroed, realloc: mi_realloc, free: mi_free };
    // SAFETY: nothing was parsed yet and no other thread runs; the four functions belong to one allocator.
    unsafe { vise_tools::set_allocator(allocator) }
}

/// mimalloc's number of the option that says how long free memory is kept, in milliseconds.
const PURGE_DELAY: c_int = 15;

unsafe extern "C" {
    fn mi_option_set(option: c_int, value: c_long);
}

/// Keeps free memory for a shorter time than mimalloc does by itself, unless its own variable says how long.
pub(crate) fn give_back_soon() {
    if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        // SAFETY: any number may be set at any time; mimalloc checks the option's.
        unsafe { mi_option_set(PURGE_DELAY, 100) }
    }
}

/// Asks the kernel for small pages. A kernel that cannot leave them out costs memory, nothing else.
pub(crate) fn use_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// C's `calloc`, which the bindings of mimalloc leave out.
unsafe extern "C" fn zeroed(count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        // SAFETY: any size may be asked for; what comes back is null or that many zeroes.
        Some(bytes) => unsafe { mi_zalloc(bytes) },
        None => std::ptr::null_mut(),
    }
}
