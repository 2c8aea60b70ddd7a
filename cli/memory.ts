/** Of the system's allocator (glibc): the threads of the engine share two arenas, instead of keeping what they free in one each. */
export const fewArenas = { MALLOC_ARENA_MAX: '2' }
