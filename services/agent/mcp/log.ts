import { plainOutput } from '../tools/wording.js'

const keptChars = 16_384
const keptLines = 100
const longestLine = 500

/** The end of a server's output outside the protocol: a program that floods its log costs no memory. */
export class ServerLog {
  #text = ''
  #isCut = false

  add (text: string): void {
    const all = this.#text + text
    this.#isCut ||= all.length > keptChars
    this.#text = all.slice(-keptChars)
  }

  /** Adds a remark of the service. */
  remark (text: string): void {
    this.add(`${this.#text === '' || this.#text.endsWith('\n') ? '' : '\n'}[${text}]\n`)
  }

  /** The last lines, without escape sequences; not masked. */
  tail (): string[] {
    const whole = this.#isCut ? this.#text.slice(this.#text.indexOf('\n') + 1) : this.#text
    const lines = plainOutput(whole).split('\n').filter((line) => line.trim() !== '')
    return lines.slice(-keptLines).map((line) => line.length > longestLine ? `${line.slice(0, longestLine)}…` : line)
  }
}
