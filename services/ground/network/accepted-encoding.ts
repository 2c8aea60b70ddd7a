/**
 * Whether an `Accept-Encoding` allows this encoding: it is named, and not with quality 0. A client that names none, or only `*`, gets texts
 * as they are.
 */
export function accepts (header: string | string[] | undefined, encoding: 'br' | 'gzip'): boolean {
  const wanted = new RegExp(`(?:^|,)\\s*${encoding}\\s*(?:;\\s*q=([\\d.]+)\\s*)?(?:,|$)`, 'i').exec(String(header ?? ''))
  return wanted !== null && Number(wanted[1] ?? 1) > 0
}
