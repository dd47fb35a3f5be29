import CLinux

/// Returns freed memory to the system. malloc keeps small blocks otherwise, so call this after
/// freeing much memory; it takes milliseconds.
public func returnFreeMemory() { linux_return_free_memory() }
