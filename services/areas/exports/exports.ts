import { Invalid } from '../../ground/errors.js'
import { redact, redactDeepGently } from '../../ground/redaction/index.js'
import { type Foreign } from '../foreign/index.js'
import { exportJson, type Sessions, type SessionWire } from '../sessions/index.js'
import { sessionPage, type PageOptions } from './page.js'

export interface ExportsOptions {
  sessions: Pick<Sessions, 'get' | 'isForeign' | 'isMasked' | 'rowToWire' | 'transcript'>
  foreign: Pick<Foreign, 'detail' | 'exported'>
}

/** The look of a page. */
export interface PageLook {
  /** `light`, `dark`, or absent for the setting of the reader's device. */
  theme?: string
  /** See PageOptions. */
  palette?: string
}

/** Sessions as documents: the service's own, and those of other programs. */
export function createExports ({ sessions, foreign }: ExportsOptions) {
  const { transcript } = sessions

  /** Builds the page of one of the service's own sessions. */
  async function ownPage (id: string, options: PageOptions, isMasked: boolean, signal?: AbortSignal): Promise<Buffer[]> {
    const row = sessions.get(id)
    const variant = isMasked ? 'masked' : 'plain'
    const wire = sessions.rowToWire(row)
    const messages = transcript.messages(id, variant)
    return await sessionPage(
      { ...wire, ...transcript.compressionAnchor(row, variant), title: isMasked ? redact(row.title) : wire.title },
      until(signal, isMasked ? maskedAgain(messages) : messages), options)
  }

  async function guestPage (id: string, options: PageOptions, signal?: AbortSignal): Promise<Buffer[]> {
    const { messages, ...detail } = await foreign.detail(id, { messages: true }) as unknown as SessionWire & { messages: unknown[] }
    return await sessionPage(detail, until(signal, messages), options)
  }

  return {
    /**
     * Returns a document that can be imported again, as JSON text in pieces. It ends early if `signal` is aborted because nobody will read
     * it. Throws NotFound.
     */
    async json (id: string, signal?: AbortSignal): Promise<Buffer[]> {
      if (sessions.isForeign(id)) return await foreign.exported(id, signal)
      const row = sessions.get(id)
      return await exportJson({ row, wire: sessions.rowToWire(row), transcript }, { masked: sessions.isMasked(), signal })
    },

    /**
     * Returns a page to read, as HTML text in pieces; credentials are masked as the settings say. The page ends early if `signal` is
     * aborted because nobody will read it. Throws NotFound, and Invalid for an unknown theme.
     */
    async page (id: string, { theme, palette }: PageLook, signal?: AbortSignal): Promise<Buffer[]> {
      const isGuest = sessions.isForeign(id)
      if (!isGuest) sessions.get(id)
      if (theme !== undefined && theme !== '' && theme !== 'light' && theme !== 'dark') throw new Invalid('theme must be light or dark')
      const options: PageOptions = { ...(theme === 'light' || theme === 'dark' ? { theme } : {}), palette }
      return isGuest ? await guestPage(id, options, signal) : await ownPage(id, options, sessions.isMasked(), signal)
    },

    /**
     * Returns the page of one of the service's own sessions for outsiders: always masked, whatever the settings say, with a notice below
     * the title. Throws NotFound and Forbidden.
     */
    snapshot: (id: string, notice: string): Promise<Buffer[]> => ownPage(id, { notice }, true)
  }
}

export type Exports = ReturnType<typeof createExports>

/** A text that is known to be a secret now may not have been one when the messages were stored. */
async function * maskedAgain (messages: AsyncIterable<Record<string, unknown>>): AsyncGenerator<Record<string, unknown>> {
  for await (const message of messages) yield await redactDeepGently(message)
}

/** Yields items until the signal is aborted. */
async function * until<T> (signal: AbortSignal | undefined, items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal?.aborted === true) return
    yield item
  }
}
