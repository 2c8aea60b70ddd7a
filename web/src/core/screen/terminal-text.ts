/** Text in one style. `look`: the class names of its colours; empty without any. */
interface Run { readonly text: string, readonly look: string }
/** A line. It is a new object when its text changes. */
export interface Line { readonly key: number, readonly runs: readonly Run[] }

/** Returns the class names for a colour sequence (SGR), by its parameters and earlier ones. */
export type Look = (parameters: string) => string

interface Row { runs: Run[], length: number, line: Line | null }

const mostRows = 5_000
/** How many rows are dropped at a time. */
const rowsAtOnce = 500
/** How many rows the cursor moves up at most: the height of a screen. */
const screenRows = 60
/** The rightmost column that the cursor reaches, so the largest gap in a row. */
const mostColumns = 1_000
/** A longer sequence is treated as text. */
const longestSequence = 4_096

/* eslint-disable no-control-regex -- control characters are what this is about */
const token = /([^\u0000-\u0008\u000a-\u001f\u007f-\u009f]+)|(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b]*\u001b\\|\u001b[ -/]*[0-OQ-WYZ\\`-~]|([^\u001b\u009b])/y
/* eslint-enable no-control-regex */

/**
 * Renders text as a terminal would: a carriage return overwrites the line from its beginning, and progress bars that move the cursor up
 * work. Titles, links and all other sequences are ignored; nothing is ever run.
 */
export class TerminalText {
  #rows: Row[] = [emptyRow()]
  /** The number of the first row that is kept. */
  #first = 0
  #row = 0
  #column = 0
  #look = ''
  /** The beginning of an incomplete sequence. */
  #begun = ''

  /** @param look null: without colours */
  constructor (readonly look: Look | null = null) {}

  write (text: string): void {
    const all = this.#begun + text
    this.#begun = ''
    for (let at = 0; at < all.length;) {
      token.lastIndex = at
      const found = token.exec(all)
      if (found === null) {
        // An incomplete escape sequence, or an escape character that begins none.
        if (all.length - at < longestSequence) {
          this.#begun = all.slice(at)
          return
        }
        at++
        continue
      }
      at += found[0].length
      const [, words, parameters = '', final, control] = found
      if (words !== undefined) this.#put(words)
      else if (final !== undefined) this.#sequence(final, parameters)
      else if (control !== undefined) this.#control(control)
    }
  }

  /** The number of lines that were dropped. */
  get dropped (): number { return this.#first }

  /** The lines, without an empty last one. */
  get lines (): Line[] {
    const last = this.#rows.at(-1)?.length === 0 ? this.#rows.length - 1 : this.#rows.length
    return this.#rows.slice(0, last).map((row, index) => {
      row.line ??= { key: this.#first + index, runs: [...row.runs] }
      return row.line
    })
  }

  #control (character: string): void {
    if (character === '\n') this.#down()
    else if (character === '\r') this.#column = 0
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1)
  }

  #down (): void {
    this.#row++
    this.#column = 0
    if (this.#row < this.#rows.length) return
    this.#rows.push(emptyRow())
    if (this.#rows.length < mostRows + rowsAtOnce) return
    this.#rows.splice(0, rowsAtOnce)
    this.#first += rowsAtOnce
    this.#row -= rowsAtOnce
  }

  #sequence (final: string, parameters: string): void {
    if (final === 'm') {
      this.#look = this.look?.(parameters) ?? ''
      return
    }
    const count = Number(/^\d{1,5}$/.test(parameters) ? parameters : 0)
    switch (final) {
      case 'A': this.#row = Math.max(0, this.#row - Math.max(1, count), this.#rows.length - screenRows); break
      case 'B': this.#row = Math.min(this.#rows.length - 1, this.#row + Math.max(1, count)); break
      case 'C': this.#column = Math.min(mostColumns, this.#column + Math.max(1, count)); break
      case 'D': this.#column = Math.max(0, this.#column - Math.max(1, count)); break
      case 'F': this.#row = Math.max(0, this.#row - Math.max(1, count), this.#rows.length - screenRows); this.#column = 0; break
      case 'G': this.#column = Math.min(mostColumns, Math.max(1, count) - 1); break
      case 'K': this.#erase(count); break
      case 'J': if (count === 0) this.#eraseBelow()
    }
  }

  get #current (): Row {
    const row = this.#rows[this.#row]
    if (row === undefined) throw new Error('The cursor is on no row')
    return row
  }

  #erase (what: number): void {
    const row = this.#current
    if (what === 0) set(row, cut(row.runs, 0, this.#column))
    else if (what === 2) set(row, [])
    else if (what === 1) {
      set(row, [{
        text: ' '.repeat(Math.min(this.#column, row.length)), look: ''
      }, ...cut(row.runs, this.#column, Infinity)])
    }
  }

  #eraseBelow (): void {
    this.#erase(0)
    this.#rows.length = this.#row + 1
  }

  #put (text: string): void {
    const row = this.#current
    const run = { text, look: this.#look }
    if (this.#column >= row.length) {
      const gap = this.#column - row.length
      if (gap > 0) row.runs.push({ text: ' '.repeat(gap), look: '' })
      const last = row.runs.at(-1)
      if (last?.look === run.look) row.runs[row.runs.length - 1] = { text: last.text + text, look: run.look }
      else row.runs.push(run)
      row.length += gap + text.length
      row.line = null
    } else set(row, [...cut(row.runs, 0, this.#column), run, ...cut(row.runs, this.#column + text.length, Infinity)])
    this.#column += text.length
  }
}

const emptyRow = (): Row => ({ runs: [], length: 0, line: null })

function set (row: Row, runs: Run[]): void {
  row.runs = runs.filter(({ text }) => text !== '')
  row.length = runs.reduce((length, { text }) => length + text.length, 0)
  row.line = null
}

/** Returns the part of a row between two columns. */
function cut (runs: readonly Run[], from: number, to: number): Run[] {
  let at = 0
  return runs.flatMap(({ text, look }) => {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at))
    at += text.length
    return part === '' ? [] : [{ text: part, look }]
  })
}
