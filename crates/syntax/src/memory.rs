//! Memory of syntax trees that are looked at once and dropped whole.
//!
//! A search parses a file, looks, and has no further use for the tree. Freeing a tree node by node is an eighth of
//! the work (measured on Django: 12 % of the CPU of a search that parses every file), so within [`scope`] the parser's
//! memory comes from a region that is given back in one piece. Everything else, and all memory outside a scope, comes
//! from the allocator that the binary chose.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::OnceLock;

/// The four functions of an allocator, as tree-sitter takes them.
pub use tree_sitter::Allocator;

/// The allocator for memory outside a scope.
static FALLBACK: OnceLock<Allocator> = OnceLock::new();

/// The first chunk of a thread's region, in bytes; each further one is twice as large as the one before.
const FIRST_CHUNK: usize = 4 << 20;
/// A chunk that has grown beyond this is not kept for the next scope: a thread that met one large file would hold its
/// memory for good.
const KEPT_CHUNK: usize = 8 << 20;
/// Alignment of every block, and the room in front of it for its size.
const ALIGN: usize = 16;

/// Makes the parser take its memory from `fallback`, and within a [`scope`] from a region.
///
/// Only the first call has an effect.
///
/// # Safety
/// Before anything is parsed, and with four functions of one allocator that never returns null.
pub unsafe fn set_allocator(fallback: Allocator) {
    if FALLBACK.set(fallback).is_ok() {
        // SAFETY: the four functions below belong together: each tells by the address whose block it is given. The
        // caller promises the rest.
        unsafe {
            tree_sitter::set_allocator(Some(Allocator {
                malloc: allocate,
                calloc: allocate_zeroed,
                realloc: reallocate,
                free: release,
            }));
        }
    }
}

/// Whether this thread is in a scope with a region.
pub(crate) fn in_scope() -> bool {
    FALLBACK.get().is_some() && with_region(|region| region.depth > 0)
}

/// Runs `work` with a region for what the parser allocates, and gives the region back.
///
/// Crate-private, since no tree or parser that is made in `work` may outlive it: `parse_once` sees to that.
pub(crate) fn scope<R>(work: impl FnOnce() -> R) -> R {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            with_region(Region::leave);
        }
    }
    with_region(|region| region.depth += 1);
    let _leave = Leave;
    work()
}

/// The region of one thread.
struct Region {
    /// How many scopes this thread is in, one inside the other.
    depth: usize,
    /// Chunks as (address, size), the current one last.
    chunks: Vec<(usize, usize)>,
    /// The free part of the current chunk.
    next: usize,
    end: usize,
}

thread_local! {
    static REGION: UnsafeCell<Region> =
        const { UnsafeCell::new(Region { depth: 0, chunks: Vec::new(), next: 0, end: 0 }) };
}

/// Calls `work` with this thread's region. `work` must not come back here: nothing in this file does.
fn with_region<R>(work: impl FnOnce(&mut Region) -> R) -> R {
    // SAFETY: the region is this thread's own, and no reference to it lives beyond one call of `work`, which never
    // calls this function again.
    REGION.with(|region| work(unsafe { &mut *region.get() }))
}

impl Region {
    /// A block of at least `size` bytes, zeroed only if fresh; null when there is no memory.
    fn block(&mut self, size: usize) -> *mut c_void {
        let Some(room) = size.checked_next_multiple_of(ALIGN).and_then(|size| size.checked_add(ALIGN)) else {
            return std::ptr::null_mut();
        };
        if self.end - self.next < room && !self.grow(room) {
            return std::ptr::null_mut();
        }
        let block = self.next;
        self.next += room;
        // SAFETY: `block` is aligned and has `room` bytes of the current chunk, of which the first hold the size.
        unsafe { (block as *mut usize).write(size) };
        (block + ALIGN) as *mut c_void
    }

    fn grow(&mut self, room: usize) -> bool {
        let last = self.chunks.last().map_or(FIRST_CHUNK / 2, |(_, size)| *size);
        let size = (2 * last).max(room + ALIGN);
        let Some(fallback) = FALLBACK.get() else { return false };
        // SAFETY: the fallback's own function; the chunk goes back to it in `leave`.
        let address = unsafe { (fallback.malloc)(size) } as usize;
        if address == 0 {
            return false;
        }
        self.chunks.push((address, size));
        self.next = address.next_multiple_of(ALIGN);
        self.end = address + size;
        true
    }

    fn owns(&self, block: *mut c_void) -> bool {
        let address = block as usize;
        self.chunks.iter().rev().any(|(start, size)| (*start..start + size).contains(&address))
    }

    /// The size of a block of this region.
    fn size(block: *mut c_void) -> usize {
        // SAFETY: every block of a region has its size in front of it.
        unsafe { ((block as usize - ALIGN) as *const usize).read() }
    }

    /// Leaves a scope; the outermost gives all but one chunk back.
    fn leave(&mut self) {
        self.depth -= 1;
        if self.depth > 0 {
            return;
        }
        let keep = self.chunks.pop_if(|(_, size)| *size <= KEPT_CHUNK);
        if let Some(fallback) = FALLBACK.get() {
            for (address, _) in self.chunks.drain(..) {
                // SAFETY: the chunk came from the fallback, and nothing points into it any more.
                unsafe { (fallback.free)(address as *mut c_void) };
            }
        }
        (self.next, self.end) = keep.map_or((0, 0), |(address, size)| {
            self.chunks.push((address, size));
            (address.next_multiple_of(ALIGN), address + size)
        });
    }
}

fn fallback() -> &'static Allocator {
    // The functions below are handed out after it was set; the other arm is never taken.
    FALLBACK.get().unwrap_or_else(|| std::process::abort())
}

unsafe extern "C" fn allocate(size: usize) -> *mut c_void {
    with_region(|region| if region.depth > 0 { Some(region.block(size)) } else { None })
        // SAFETY: the fallback's own function.
        .unwrap_or_else(|| unsafe { (fallback().malloc)(size) })
}

unsafe extern "C" fn allocate_zeroed(count: usize, size: usize) -> *mut c_void {
    if !with_region(|region| region.depth > 0) {
        // SAFETY: the fallback's own function.
        return unsafe { (fallback().calloc)(count, size) };
    }
    let Some(size) = count.checked_mul(size) else { return std::ptr::null_mut() };
    let block = with_region(|region| region.block(size));
    if !block.is_null() {
        // SAFETY: the block has at least `size` bytes.
        unsafe { block.cast::<u8>().write_bytes(0, size) };
    }
    block
}

unsafe extern "C" fn reallocate(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as `allocate`.
        return unsafe { allocate(size) };
    }
    if !with_region(|region| region.owns(block)) {
        // SAFETY: a block that is not the region's is the fallback's.
        return unsafe { (fallback().realloc)(block, size) };
    }
    let old = Region::size(block);
    if size <= old {
        return block;
    }
    let new = with_region(|region| region.block(size));
    if !new.is_null() {
        // SAFETY: two blocks, apart, of at least `old` bytes.
        unsafe { new.cast::<u8>().copy_from_nonoverlapping(block.cast::<u8>(), old) };
    }
    new
}

unsafe extern "C" fn release(block: *mut c_void) {
    if !block.is_null() && !with_region(|region| region.owns(block)) {
        // SAFETY: a block that is not the region's is the fallback's.
        unsafe { (fallback().free)(block) };
    }
}
