import { type chatFrames } from '../../../schemas/chat.js'
import { type speechFrames } from '../../../schemas/voice.js'
import { DomainError } from '../../ground/errors.js'
import { encodedFrames, encodeFrame, frameReader, framesOf, type NewFrame, type Subscription } from '../../ground/events/index.js'
import { type StoredMessage } from '../sessions/index.js'
import { type Sound } from './speech-providers.js'
import { SentenceSplitter, type Sentence } from './sentences.js'
import { type Speaker } from './speech.js'
import { codeMention, piecesOf, type SpokenText } from './spoken-text.js'

const frame = framesOf<typeof speechFrames>()
const dataOf = frameReader<typeof chatFrames>()

export interface SpokenTurnOptions {
  streamId: string
  /** The frames of the turn, from the first one on. */
  source: Subscription
  speaker: Speaker
  spokenText: SpokenText
  /** The number of the last sound that the listener has: only higher ones are sent. */
  after: number
  /** Returns the rows of what the turn says, from a position on. */
  answers: (from: number) => StoredMessage[]
  closed: () => void
}

/** The next thing to say, or a notice that what was said is retracted. */
type Job = { seq: number, part: number, start: number, end: number, text: string } | { seq: number, retracted: number }
type End = 'completed' | 'cancelled' | 'interrupted' | 'failed'

const readBytes = 64 * 1024
const most = { soundBytes: 4 * 1024 * 1024, chars: 300, hanChars: 150, failures: 3 }
const han = /\p{Script=Han}/u
const ends: Readonly<Record<string, End>> = {
  done: 'completed', stream_end: 'completed', cancel: 'cancelled', apperror: 'interrupted', error: 'interrupted'
}

/**
 * A turn as sound, sentence by sentence, for one listener. Sounds and their numbers are derived only from the turn's journal, so a listener
 * that reconnects with a number gets what follows it. One sound is made ahead of what the connection takes, and no more if nobody takes it.
 */
export class SpokenTurn implements Subscription {
  position: number
  #splitter = new SentenceSplitter()
  /** Counts the texts of the turn: one for each call of the model that said something. */
  #part = 0
  #partHasText = false
  #isChinese = false
  #seq = 0
  readonly #jobs: Job[] = []
  #ready: Buffer[] = []
  #isMaking = false
  /** Whether a sound waits to be taken. */
  #hasSound = false
  #failures = 0
  readonly #messageIds: string[] = []
  #nextRow = 0
  #end: End | null = null
  #isOver = false
  #isFolding = false
  readonly #gone = new AbortController()
  #listener = (): void => {}

  constructor (private readonly options: SpokenTurnOptions) {
    this.position = options.after
    options.source.onReadable(() => this.#fold())
    this.#fold()
  }

  read (): Buffer[] {
    const ready = this.#ready
    this.#ready = []
    this.#hasSound = false
    // What was taken is sent before anything that follows from it.
    queueMicrotask(() => this.#advance())
    return ready
  }

  get ended (): boolean { return this.#isOver && this.#ready.length === 0 }

  onReadable (listener: () => void): void { this.#listener = listener }

  close (): void {
    if (this.#gone.signal.aborted) return
    this.#gone.abort()
    this.options.source.close()
    this.options.closed()
  }

  /** Reads the frames of the turn, one portion per pass of the event loop: replaying a long turn must not block others. */
  #fold (): void {
    if (this.#isFolding || this.#isOver || this.#gone.signal.aborted) return
    const chunks = this.options.source.read(readBytes)
    for (const chunk of chunks) for (const { event, data } of encodedFrames(chunk)) this.#take(event, data)
    if (this.options.source.ended) this.#finish('completed')
    else if (chunks.length > 0) {
      this.#isFolding = true
      setImmediate(() => {
        this.#isFolding = false
        this.#fold()
      })
    }
    this.#advance()
  }

  #take (event: string, data: Buffer): void {
    const end = ends[event]
    if (end !== undefined) return this.#finish(end)
    if (this.#end !== null) return
    if (event === 'token') {
      this.#hear(dataOf(event, data).text)
    } else if (event === 'interim_assistant') {
      const { text, already_streamed: isWhole } = dataOf(event, data)
      if (isWhole) return this.#endPart()
      this.#retract()
      this.#hear(text)
    } else if (event === 'tool') this.#endPart()
  }

  #hear (text: string): void {
    this.#partHasText ||= text !== ''
    this.#isChinese ||= han.test(text)
    for (const sentence of this.#splitter.push(text)) this.#say(sentence)
  }

  #say ({ kind, start, end, markdown }: Sentence): void {
    const { whole, piece } = this.options.spokenText
    const spoken = kind === 'code' ? codeMention(this.#isChinese) : kind === 'row' ? whole(markdown) : piece(markdown)
    if (spoken === '') return
    for (const text of piecesOf(spoken, han.test(spoken)
      ? most.hanChars
      : most.chars)) this.#add({ seq: ++this.#seq, part: this.#part, start, end, text })
  }

  #add (job: Job): void {
    if (job.seq > this.options.after) this.#jobs.push(job)
  }

  #endPart (): void {
    for (const sentence of this.#splitter.end()) this.#say(sentence)
    this.#splitter = new SentenceSplitter()
    if (!this.#partHasText) return
    this.#partHasText = false
    this.#part++
    this.#tellMessages()
  }

  /** The model begins this part again: what was not spoken of it is dropped. */
  #retract (): void {
    this.#splitter = new SentenceSplitter()
    this.#partHasText = false
    const kept = this.#jobs.filter((job) => 'retracted' in job || job.part !== this.#part)
    this.#jobs.splice(0, this.#jobs.length, ...kept)
    this.#add({ seq: ++this.#seq, retracted: this.#part })
  }

  /** Announces the messages that hold the spoken parts, if they are stored already. */
  #tellMessages (): void {
    for (const { messageId, position } of this.options.answers(this.#nextRow)) {
      this.#nextRow = position + 1
      const part = this.#messageIds.push(messageId) - 1
      this.#ready.push(encodeFrame(frame('message', { part, message_id: messageId })))
    }
    if (this.#ready.length > 0) this.#listener()
  }

  #finish (end: End): void {
    if (end === 'cancelled') return this.#stop(end)
    if (this.#end !== null) return
    this.#endPart()
    this.#end = end
  }

  /** Ends the stream and drops everything that was not spoken yet. */
  #stop (state: End, error?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#end = state
    this.#jobs.length = 0
    this.#ready = [
      ...(state === 'cancelled' ? [] : this.#ready), encodeFrame(frame('end', { state, ...(error === undefined ? {} : { error }) }))
    ]
    this.#gone.abort()
    this.options.source.close()
    this.options.closed()
    this.#listener()
  }

  /** Makes the next sound, unless one is ahead already. */
  #advance (): void {
    if (this.#isMaking || this.#hasSound || this.#isOver || this.#gone.signal.aborted) return
    const job = this.#jobs.shift()
    if (job === undefined) {
      if (this.#end !== null) this.#stop(this.#end)
      return
    }
    if ('retracted' in job) {
      this.#put(job.seq, frame('retracted', { part: job.retracted }))
      return this.#advance()
    }
    this.#isMaking = true
    const { seq, part, start, end, text } = job
    const place = () => ({ part, message_id: this.#messageIds[part] ?? null, start, end })
    this.options.speaker.say(text, this.#gone.signal).then((sound) => {
      if (this.#isOver || this.#gone.signal.aborted) return
      if (sound.bytes.length > most.soundBytes) throw new DomainError('This sentence is too long to be sent')
      this.#failures = 0
      this.#isMaking = false
      this.#hasSound = true
      this.#put(seq, audio(sound, { ...place(), text }))
    }).catch((error: unknown) => {
      if (this.#isOver || this.#gone.signal.aborted) return
      const reason = error instanceof DomainError ? error.message : 'This sentence could not be spoken'
      if (++this.#failures === most.failures) return this.#stop('failed', reason)
      this.#isMaking = false
      this.#put(seq, frame('skipped', { ...place(), error: reason }))
      this.#advance()
    })
  }

  #put (seq: number, made: NewFrame): void {
    this.position = seq
    this.#ready.push(encodeFrame(made, `${this.options.streamId}:${seq}`))
    this.#listener()
  }
}

type Place = { part: number, message_id: string | null, start: number, end: number, text: string }

/** Base64 needs no escaping, so that a long text is not scanned for it. */
function audio ({ bytes, type }: Sound, place: Place): NewFrame {
  const { event, data } = frame('audio', { ...place, type, audio: '' })
  return { event, data: `${data.slice(0, -'"}'.length)}${bytes.toString('base64')}"}` }
}
