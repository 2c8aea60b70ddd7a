import { statSync, type BigIntStats } from 'node:fs'
import { identityOf, isSettled } from '../../ground/file-identity.js'
import { readHomeFile } from '../../ground/home/home-file.js'

/**
 * Returns a function that reads the first line of a file, trimmed; undefined if it cannot be read, as with a pipe or a loop of links. Each
 * call sees every change, whoever made it: it checks the file's status, and reads the file again unless it is the same (inode, size, times)
 * and has been so for a while. A status check takes 2 µs, a fifth of opening and reading. That is so little that no interval is needed, and
 * no watch, which network folders do not have.
 */
export function firstLineOf (path: string): () => string | undefined {
  let known: { identity: string, line: string | undefined } | null = null

  return () => {
    const stats = lookAt(path)
    if (stats === undefined) {
      known = null
      return undefined
    }
    const identity = identityOf(stats)
    if (known?.identity === identity) return known.line
    const found = readHomeFile(path)
    const line = found !== undefined && 'text' in found ? found.text.split('\n', 1).join('').trim() : undefined
    known = line !== undefined && isSettled(stats) ? { identity, line } : null
    return line
  }
}

function lookAt (path: string): BigIntStats | undefined {
  try {
    // Usually the file does not exist: an error costs ten times as much as the check.
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
