import { isKeyOf } from '../../ground/one-of.js'

/** A variable in a git configuration: `section.subsection.key`, section and key in lower case. Without "=", the value is ''. */
export interface Setting { name: string, value: string }

/** A configuration. `unread`: the rest that git would refuse to read, from the beginning of the line; null if git reads all of it. */
export interface Configuration { settings: Setting[], unread: string | null }

class Unreadable extends Error {}

const escaped = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' }
const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n'
const isKey = (char: string): boolean => /^[A-Za-z0-9-]$/.test(char)

/**
 * Reads a configuration character by character like git's config.c, so that both find the same in it: quotes, escapes, comments after
 * values, continued lines, variables after a header. A NUL, at which git cuts texts off, is refused.
 */
export function parseConfiguration (text: string): Configuration {
  const reader = new Reader(text)
  const settings: Setting[] = []
  let section: string | null = null
  let statement = 0
  try {
    for (reader.skipMark(); !reader.isOver;) {
      statement = reader.position
      const char = reader.next()
      if (isSpace(char)) continue
      if (char === '#' || char === ';') reader.skipLine()
      else if (char === '[') section = readHeader(reader)
      else if (/^[A-Za-z]$/.test(char)) settings.push(readSetting(reader, section, char))
      else throw new Unreadable()
    }
    return { settings, unread: null }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { settings, unread: text.slice(statement) }
  }
}

class Reader {
  position = 0

  constructor (private readonly text: string) {}

  get isOver (): boolean { return this.position >= this.text.length }

  /** Returns the next character; a line feed at the end of a line and of the text. Throws Unreadable for a NUL. */
  next (): string {
    if (this.text.startsWith('\r\n', this.position)) this.position++
    const char = this.text[this.position++] ?? '\n'
    if (char === '\0') throw new Unreadable()
    return char
  }

  skipMark (): void {
    if (this.text.startsWith('\ufeff')) this.position = 1
  }

  skipLine (): void {
    const end = this.text.indexOf('\n', this.position)
    this.position = end === -1 ? this.text.length : end + 1
  }
}

/** Reads a header up to its closing bracket; text after that already belongs to the section. */
function readHeader (reader: Reader): string {
  let name = ''
  for (let char = reader.next(); char !== ']'; char = reader.next()) {
    if (isSpace(char)) return `${name}.${readSubsection(reader, char)}`
    if (!isKey(char) && char !== '.') throw new Unreadable()
    name += char.toLowerCase()
  }
  return name
}

function readSubsection (reader: Reader, first: string): string {
  let char = first
  for (; isSpace(char); char = reader.next()) if (char === '\n') throw new Unreadable()
  if (char !== '"') throw new Unreadable()
  let name = ''
  for (char = reader.next(); char !== '"'; char = reader.next()) {
    if (char === '\\') char = reader.next()
    if (char === '\n') throw new Unreadable()
    name += char
  }
  if (reader.next() !== ']') throw new Unreadable()
  return name
}

function readSetting (reader: Reader, section: string | null, first: string): Setting {
  let key = first
  let char = reader.next()
  for (; isKey(char); char = reader.next()) key += char
  while (char === ' ' || char === '\t') char = reader.next()
  if (char !== '\n' && char !== '=') throw new Unreadable()
  const name = section === null ? key.toLowerCase() : `${section}.${key.toLowerCase()}`
  return { name, value: char === '=' ? readValue(reader) : '' }
}

function readValue (reader: Reader): string {
  let value = ''
  /** White space that belongs to the value only if more text follows. */
  let space = ''
  let isQuoted = false
  for (let char = reader.next(); char !== '\n'; char = reader.next()) {
    if (isSpace(char) && !isQuoted) {
      if (value !== '') space += char
      continue
    }
    if ((char === '#' || char === ';') && !isQuoted) {
      reader.skipLine()
      return value
    }
    value += space
    space = ''
    if (char === '"') isQuoted = !isQuoted
    else if (char === '\\') value += readEscape(reader)
    else value += char
  }
  if (isQuoted) throw new Unreadable()
  return value
}

/** Reads an escape; an escaped end of line gives ''. */
function readEscape (reader: Reader): string {
  const char = reader.next()
  if (char === '\n') return ''
  if (!isKeyOf(escaped, char)) throw new Unreadable()
  return escaped[char]
}
