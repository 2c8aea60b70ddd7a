/** Splits output at null characters while it arrives, and passes each record to `take`. */
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

/** Returns the epoch seconds of a commit, limited to 0 … MAX_SAFE_INTEGER, because a commit may contain any number. */
export function secondsOf (text: string): number {
  const seconds = Math.trunc(Number(text))
  return seconds > 0 ? Math.min(seconds, Number.MAX_SAFE_INTEGER) : 0
}

/** Splits a short output at null characters. */
export function recordsOf (output: Buffer): string[] {
  const records: string[] = []
  recordReader((record) => { records.push(record) })(output)
  return records
}
