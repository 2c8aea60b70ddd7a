const wanted = { br: patternOf('br'), gzip: patternOf('gzip') }

/**
 * Whether an `Accept-Encoding` allows this encoding: it is named, and not with quality 0. A client that names none, or only `*`, gets texts
 * as they are.
 */
export function accepts (header: string | string[] | undefined, encoding: 'br' | 'gzip'): boolean {
  const found = wanted[encoding].exec(String(header ?? ''))
  return found !== null && Number(found[1] ?? 1) > 0
}

function patternOf (encoding: string): RegExp {
  return new RegExp(`(?:^|,)\\s*${encoding}\\s*(?:;\\s*q=([\\d.]+)\\s*)?(?:,|$)`, 'i')
}
