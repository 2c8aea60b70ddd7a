/** A setting of glibc's allocator: all threads share two arenas, instead of each keeping freed memory in an arena of its own. */
export const fewArenas = { MALLOC_ARENA_MAX: '2' }
