/** How much a JSON text may hold: levels of nesting, and values of any kind with their keys counted along. */
export interface JsonLimits { levels: number, values: number }

/** More levels than anybody needs, and fewer than anything that reads them stumbles over. */
export const mostLevels = 500

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openers = new Set([0x5b, 0x7b])
const closers = new Set([0x5d, 0x7d])

/**
 * Which limit a JSON text in UTF-8 goes beyond, before anything of it is built: one pass over its bytes, without
 * recursion, ended as soon as the answer is known. Whether it is JSON at all is the parser's business.
 */
export function beyondLimits (text: Uint8Array, { levels, values }: JsonLimits): keyof JsonLimits | null {
  let level = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!
    if (byte === quote) {
      while (++at < text.length && text[at] !== quote) if (text[at] === backslash) at++
    } else if (byte === comma) {
      if (++count > values) return 'values'
    } else if (openers.has(byte)) {
      if (++level > levels) return 'levels'
      if (++count > values) return 'values'
    } else if (closers.has(byte)) level--
  }
  return null
}
