/** Cuts output into what stands between zero characters, while it arrives. */
export function recordReader (take: (record: string) => void): (chunk: Buffer) => void {
  let begun: Buffer[] = []
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const rest = chunk.subarray(start, end)
      take(begun.length === 0 ? rest.toString() : Buffer.concat([...begun, rest]).toString())
      begun = []
      start = end + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
  }
}

/** Epoch seconds as a commit has them, which may be any number at all; between 1970 and what can be told exactly. */
export function secondsOf (text: string): number {
  const seconds = Math.trunc(Number(text))
  return seconds > 0 ? Math.min(seconds, Number.MAX_SAFE_INTEGER) : 0
}

/** All at once, for short output. */
export function recordsOf (output: Buffer): string[] {
  const records: string[] = []
  recordReader((record) => { records.push(record) })(output)
  return records
}
