import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import { fieldsOf } from '../../../ground/fields.js'
import { type Fields } from '../dialect.js'
import { idIn, list, text } from '../wire.js'
import { diffsAs1 } from './diffs.js'

/** How many characters are held of the content of a turn's calls, and of a terminal's latest output. */
const mostChars = 16 * 1024 * 1024
const mostOutput = 64_000
const mostCalls = 5_000
const mostTerminals = 500

interface Call {
  content: Fields[]
  /** Whether content was added that no update has contained yet. */
  isNews: boolean
  isNamed: boolean
  kind: unknown
}

interface Terminal { output: string, decoder: StringDecoder, exit: string }

/** The calls of a turn and the terminals that they show. In this version a call is sent once, followed by what is added to it. */
export class Calls {
  readonly #calls = new Map<string, Call>()
  readonly #terminals = new Map<string, Terminal>()
  #chars = 0

  /** Translates an update into one of version 1. Fields that are cleared here are empty there. */
  update (update: Fields): Fields {
    const call = this.#callOf(update)
    const { content, status, title, kind, locations } = update
    if (typeof title === 'string') call.isNamed = true
    if (kind !== undefined) call.kind = kind
    if (content !== undefined) {
      call.content = []
      for (const item of Array.isArray(content) ? content.map(fieldsOf) : []) this.#add(call, item)
    }
    const isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
    const isTold = content !== undefined || call.isNews || (isOver && call.content.some(({ type }) => type === 'terminal'))
    call.isNews = false
    const { content: _, ...rest } = update
    const shown = isTold ? this.#contentAs1(call) : null
    return {
      ...rest,
      sessionUpdate: 'tool_call_update',
      ...(status === 'cancelled' && { status: 'failed' }),
      ...(status === null && { status: 'pending' }),
      ...(kind === null && { kind: 'other' }),
      ...(locations === null && { locations: [] }),
      ...(shown !== null && { content: shown.content }),
      ...(shown !== null && shown.paths.length > 0 && {
        // A change whose text is not given still changes those files.
        kind: call.kind === 'execute' || call.kind === 'delete' || call.kind === 'move' ? call.kind : 'edit',
        locations: [...list(locations), ...shown.paths.map((path) => ({ path }))]
      }),
      ...(this.#chars > mostChars && { isCut: true })
    }
  }

  /** Stores added content, which goes out with the next update. A new call is announced at once. */
  chunk (update: Fields): Fields[] {
    const isNew = !this.#calls.has(idIn(update['toolCallId']) ?? '')
    const call = this.#callOf(update)
    this.#add(call, fieldsOf(update['content']))
    call.isNews = true
    return isNew ? [{ sessionUpdate: 'tool_call_update', toolCallId: update['toolCallId'] }] : []
  }

  terminal (update: Fields): void {
    const id = idIn(update['terminalId'])
    if (id === undefined || (this.#terminals.size >= mostTerminals && !this.#terminals.has(id))) return
    const terminal = this.#terminals.get(id) ?? { output: '', decoder: new StringDecoder('utf8'), exit: '' }
    this.#terminals.set(id, terminal)
    if (update['sessionUpdate'] === 'terminal_output_chunk') {
      terminal.output = (terminal.output + terminal.decoder.write(bytesOf(update['data']))).slice(-mostOutput)
      return
    }
    if (update['output'] !== undefined) {
      terminal.decoder = new StringDecoder('utf8')
      terminal.output = terminal.decoder.write(bytesOf(fieldsOf(update['output'])['data'])).slice(-mostOutput)
    }
    const { exitCode, signal } = fieldsOf(update['exitStatus'])
    if (typeof exitCode === 'number' && exitCode !== 0) terminal.exit = `\n[exit code ${exitCode}]`
    else if (typeof signal === 'string') terminal.exit = `\n[signal ${signal.slice(0, 20)}]`
  }

  /** Whether the agent has given a call a title. */
  isNamed (update: Fields): boolean {
    return this.#calls.get(idIn(update['toolCallId']) ?? '')?.isNamed === true
  }

  #callOf (update: Fields): Call {
    const id = idIn(update['toolCallId']) ?? ''
    const call = this.#calls.get(id) ?? { content: [], isNews: false, isNamed: false, kind: undefined }
    if (this.#calls.size < mostCalls) this.#calls.set(id, call)
    return call
  }

  /** Adds content. Adjacent texts are merged, since a text may come in any number of pieces. */
  #add (call: Call, item: Fields): void {
    const said = item['type'] === 'content' ? text(fieldsOf(item['content'])['text']) : undefined
    this.#chars += said?.length ?? JSON.stringify(item).length
    if (this.#chars > mostChars) return
    const last = call.content.at(-1)
    const before = last?.['type'] === 'content' ? text(fieldsOf(last['content'])['text']) : undefined
    if (said !== undefined && before !== undefined) call.content[call.content.length - 1] = textItem(before + said)
    else call.content.push(item)
  }

  /** Returns the content in version 1; `paths`: files whose change has no text. */
  #contentAs1 ({ content }: Call): { content: Fields[], paths: string[] } {
    const paths: string[] = []
    const items = content.flatMap((item): Fields[] => {
      if (item['type'] === 'terminal') return this.#printed(idIn(item['terminalId']) ?? '')
      if (item['type'] !== 'diff') return [item]
      const { diffs, untold, note } = diffsAs1(item)
      paths.push(...untold)
      return [...diffs, ...note === '' ? [] : [textItem(note)]]
    })
    return { content: items, paths }
  }

  #printed (id: string): Fields[] {
    const terminal = this.#terminals.get(id)
    const shown = terminal === undefined ? '' : stripVTControlCharacters(terminal.output) + terminal.exit
    return shown === '' ? [] : [textItem(shown)]
  }
}

const textItem = (said: string): Fields => ({ type: 'content', content: { type: 'text', text: said } })
const bytesOf = (data: unknown): Buffer => Buffer.from(text(data) ?? '', 'base64')
