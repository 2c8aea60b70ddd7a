import { continueMessage } from '../../agent/index.js'
import { type Fact, type Link, type Reader } from './facts.js'
import { type OpenedConversation, type Place } from './store.js'
import { TranscriptBuilder, type ForeignTranscript } from './transcript.js'

/** Who has written something: an agent for a turn of this service, or the program that the conversation comes from. */
type Writer = 'ours' | 'theirs'

/** What was added to a conversation. */
export interface Appended {
  /** Up to where it is known afterwards. */
  place: Place
  /** Whether nothing is left, except for incomplete entries. */
  isWhole: boolean
  /** Whether an answer is being written at this moment, which is left for the next time. */
  isHeld: boolean
  /** The other program's part of what was added. */
  theirs: ForeignTranscript
  /** The agent's answers in turns of this service, part by part. */
  answers: string[]
  lastWriter: Writer
  /** Whether the last turn has not ended. */
  isOpen: boolean
  /** Whether both have sent messages, and only their order tells which one an answer belongs to. */
  isMixed: boolean
}

export interface AppendedOptions {
  reader: Reader
  id: string
  /** Up to where the conversation was known; null to read from the beginning. */
  from: Place | null
  mostBytes?: number
  nowMs: number
  /** Who wrote the last entry before `from`, and whether that was in the middle of a turn. */
  before: { lastWriter: Writer, isOpen: boolean }
  /** Messages of this service that the file may contain, in order. */
  prompts: readonly string[]
  /** The answers received to them, part by part. */
  heard: readonly string[]
  pause: () => Promise<unknown>
}

const unlinked: Link = { id: null, parent: null }

/**
 * Reads what was added to a conversation, and distinguishes who has written what: two programs may have written at the same time. An answer
 * belongs to the message that it follows; if entries name their predecessor, that decides.
 */
export async function readAppended (conversation: OpenedConversation, options: AppendedOptions): Promise<Appended> {
  const { reader, id, from, mostBytes, nowMs, before, prompts, heard, pause } = options
  const builder = new TranscriptBuilder({ id, atS: conversation.modifiedMs / 1000 })
  const owners = createOwners(before.lastWriter, prompts, heard)
  const answers: string[] = []
  let { isOpen } = before
  const { place, isWhole, held } = await conversation.read({
    from, mostBytes, settledOnly: { nowMs }, pause, before: (entry) => { reader.read(entry) }
  }, (entry) => {
    const facts = reader.read(entry)
    const writer = owners.of(facts, reader.link?.(entry) ?? unlinked)
    for (const fact of facts) {
      isOpen = openAfter(fact) ?? isOpen
      if (writer === 'theirs') builder.take(fact)
      else if (fact.t === 'answer' && fact.text !== undefined) answers.push(fact.text)
    }
  })
  const lastWriter = held === null ? owners.last() : owners.of([], reader.link?.(held) ?? unlinked)
  return {
    place, isWhole, isHeld: held !== null, theirs: await builder.finish(pause), answers, lastWriter, isOpen: isOpen || held !== null,
    isMixed: owners.isMixed()
  }
}

/** Whether a turn continues after this fact; null if the fact does not tell. */
function openAfter (fact: Fact): boolean | null {
  switch (fact.t) {
    case 'pace': return fact.isAtWork
    case 'user': case 'result': return true
    case 'answer': return fact.text === undefined
    default: return null
  }
}

const squashed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
/** Keeps paragraphs apart with a separator that occurs in none: what an agent is told along with a message is a paragraph of its own. */
const paragraphs = (text: string): string => `\n${text.split(/\n\s*\n/).map(squashed).filter((one) => one !== '').join('\n')}\n`

function createOwners (before: Writer, prompts: readonly string[], heard: readonly string[]) {
  const waiting = prompts.map(paragraphs)
  const going = paragraphs(continueMessage)
  const answers = new Set(heard.map(squashed))
  /** Who has sent messages, and whether entries name their predecessor. */
  const senders = new Set<Writer>()
  let isLinked = false
  const known = new Map<string, Writer>()
  let last = before

  function begun (text: string): Writer {
    const said = paragraphs(text)
    const at = waiting.findIndex((prompt) => said.includes(prompt))
    if (at === -1) return said.endsWith(going) ? 'ours' : 'theirs'
    // Messages before this one never reached the file.
    waiting.splice(0, at + 1)
    return 'ours'
  }

  return {
    of (facts: readonly Fact[], { id, parent }: { id: string | null, parent: string | null }): Writer {
      const message = facts.find((fact) => fact.t === 'user')
      isLinked ||= parent !== null
      if (message === undefined && !isLinked && facts.some((fact) => fact.t === 'answer' && answers.has(squashed(fact.text ?? '')))) return 'ours'
      const writer = message !== undefined ? begun(message.text) : (parent === null ? undefined : known.get(parent)) ?? last
      if (message !== undefined) senders.add(writer)
      if (id !== null) known.set(id, writer)
      if (facts.some(({ t }) => t === 'user' || t === 'answer' || t === 'result')) last = writer
      return writer
    },
    last: (): Writer => last,
    isMixed: (): boolean => !isLinked && senders.size > 1
  }
}

/** A shorter match may be chance. */
const leastHeard = 12

/** Returns the parts of answers that were not received: what an agent wrote down after this service had stopped listening. */
export function unheard (answers: readonly string[], heard: string): string[] {
  const known = squashed(heard)
  return answers.flatMap((answer) => {
    const text = squashed(answer)
    if (text === '' || known.includes(text)) return []
    const at = text.length < leastHeard ? -1 : known.lastIndexOf(text.slice(0, leastHeard))
    return at !== -1 && text.startsWith(known.slice(at)) ? [behind(answer, known.length - at)] : [answer]
  })
}

/** Returns a text without its first `chars` characters, where each run of white space counts as one. */
function behind (text: string, chars: number): string {
  const whole = text.trim()
  let at = 0
  for (let left = chars; left > 0 && at < whole.length; left--) {
    at++
    if (/\s/.test(whole[at - 1] ?? '')) while (/\s/.test(whole[at] ?? '')) at++
  }
  return whole.slice(at)
}
