import { Conflict, RelayFailed, TooLarge } from '../../ground/errors.js'
import { type Memory, type Proposal } from './memory.js'
import { type Section } from './rows.js'

export interface CurationOptions {
  memory: Pick<Memory, 'propose' | 'limitBytes'>
  /**
   * Returns a model's answer to a document whose credentials are masked; null if it does not answer in time. Throws Conflict if there is no
   * model, or it must not be asked.
   */
  ask: (profile: string, document: { name: string, text: string }) => Promise<string | null>
}

/** A tidier document may be a little longer, for example by a heading; if it grows by more, something was invented. */
const growth = 1.1
const growthBytes = 200
/** The share of its words that must occur in the original document. */
const knownShare = 0.6

/** Has a model tidy documents of the memory. Writes nothing: a person decides after seeing the changes. */
export function createCuration ({ memory, ask }: CurationOptions) {
  return {
    /**
     * Returns a tidier version of a document: duplicates merged, stale lines dropped. Throws as `Memory.propose` does, Conflict for an
     * empty document and if no model may be asked, TooLarge for a document that the agent does not read as a whole, and RelayFailed if the
     * model's answer cannot replace it.
     */
    async curate (profile: string, section: Section): Promise<Proposal> {
      return await memory.propose(profile, section, async (name, text) => {
        if (text.trim() === '') throw new Conflict(`${name} is empty: there is nothing to tidy`, 'empty_document')
        const bytes = Buffer.byteLength(text)
        if (bytes > memory.limitBytes) {
          throw new TooLarge(`${name} has ${bytes} bytes; the agent reads ${memory.limitBytes}. Shorten it first.`, 'too_large')
        }
        const answer = await ask(profile, { name, text })
        if (answer === null) throw new RelayFailed('The model did not answer; nothing was changed', 'model_failed')
        const tidied = tidiedText(text, answer)
        if ('problem' in tidied) throw new RelayFailed(`${tidied.problem}; nothing was changed`, 'model_failed')
        return tidied.text
      })
    }
  }
}
export type Curation = ReturnType<typeof createCuration>

/** Extracts the document from a model's answer, or returns a sentence that says why it is unusable. Pure. */
export function tidiedText (before: string, answer: string): { text: string } | { problem: string } {
  const [, found] = /^[ \t]*<document>[ \t]*\n([^]*)\n[ \t]*<\/document>[ \t]*$/m.exec(answer.replaceAll(/\r\n?/g, '\n')) ?? []
  if (found === undefined) return { problem: 'The model did not return the whole document' }
  if (found.trim() === '') return { problem: 'The model returned an empty document' }
  const lines = `${found.trimEnd()}\n`
  const text = before.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines
  if (Buffer.byteLength(text) > Buffer.byteLength(before) * growth + growthBytes) {
    return { problem: 'The model made the document longer' }
  }
  const known = new Set(wordsOf(before))
  const words = wordsOf(text)
  if (words.filter((word) => known.has(word)).length < words.length * knownShare) {
    return { problem: 'The model\'s text says something other than the document' }
  }
  return { text: sameWords(before, text) ? before : text }
}

/** Works for any script. */
function wordsOf (text: string): string[] {
  return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [])
}

/** Blanks at the ends of lines and of the text do not count as a change. */
function sameWords (before: string, after: string): boolean {
  const plain = (text: string): string => text.replaceAll(/[ \t\r]+$/gm, '').trimEnd()
  return plain(before) === plain(after)
}
