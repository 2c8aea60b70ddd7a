/** Reads Server-Sent Events out of text that comes in pieces (HTML Living Standard, "Server-sent events"): their data alone. */
export class EventLines {
  /** The beginning of a line whose end has not come yet. */
  #rest = ''
  #endedWithReturn = false
  #lines: string[] = []

  /** Takes a piece in and calls `onData` for each event that is complete with it. */
  push (piece: string, onData: (data: string) => void): void {
    if (piece === '') return
    if (this.#endedWithReturn && piece.startsWith('\n')) piece = piece.slice(1)
    this.#endedWithReturn = piece.endsWith('\r')
    let newline = piece.indexOf('\n')
    let carriageReturn = piece.indexOf('\r')
    let from = 0
    while (newline !== -1 || carriageReturn !== -1) {
      const end = carriageReturn === -1 || (newline !== -1 && newline < carriageReturn) ? newline : carriageReturn
      this.#line(this.#rest === '' ? piece.slice(from, end) : this.#rest + piece.slice(from, end), onData)
      this.#rest = ''
      from = end === carriageReturn && newline === end + 1 ? end + 2 : end + 1
      if (newline !== -1 && newline < from) newline = piece.indexOf('\n', from)
      if (carriageReturn !== -1 && carriageReturn < from) carriageReturn = piece.indexOf('\r', from)
    }
    this.#rest += piece.slice(from)
  }

  /** Nothing more comes: hands over the event whose end, an empty line, is missing. */
  end (onData: (data: string) => void): void {
    if (this.#rest !== '') this.#line(this.#rest, onData)
    this.#rest = ''
    this.#line('', onData)
  }

  #line (line: string, onData: (data: string) => void): void {
    if (line === '') {
      if (this.#lines.length === 0) return
      const data = this.#lines.length === 1 ? this.#lines[0]! : this.#lines.join('\n')
      this.#lines = []
      onData(data)
    } else if (line.startsWith('data:')) this.#lines.push(line.slice(line.startsWith(' ', 5) ? 6 : 5))
    else if (line === 'data') this.#lines.push('')
  }
}
