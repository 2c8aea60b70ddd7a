/** The size of the blocks into which small buffers are copied. */
const blockBytes = 4 * 1024

/**
 * Returns the bytes in memory of their own, for buffers that are kept. Node makes small buffers as slices of blocks of up to 64 KiB, and
 * one slice that is kept keeps its whole block.
 */
export function inOwnMemory (bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}

/** Copies small buffers that are kept together, and dropped in the order in which they came, into blocks that nothing else uses. */
export class OwnBlocks {
  #block = Buffer.alloc(0)
  #used = 0

  copy (bytes: Buffer): Buffer {
    if (bytes.length > blockBytes / 4) return inOwnMemory(bytes)
    if (this.#used + bytes.length > this.#block.length) [this.#block, this.#used] = [Buffer.allocUnsafeSlow(blockBytes), 0]
    const own = this.#block.subarray(this.#used, this.#used + bytes.length)
    own.set(bytes)
    this.#used += bytes.length
    return own
  }
}
