import { Invalid } from '../../ground/errors.js'
import { redact, redactDeepGently } from '../../ground/redaction/index.js'
import { type Foreign } from '../foreign/index.js'
import { exportJson, type Sessions, type SessionWire } from '../sessions/index.js'
import { sessionPage, type PageOptions } from './page.js'

export interface ExportsOptions {
  sessions: Pick<Sessions, 'get' | 'isForeign' | 'isMasked' | 'rowToWire' | 'transcript'>
  foreign: Pick<Foreign, 'detail' | 'exported'>
}

/** How a page is to look. */
export interface PageLook {
  /** `light`, `dark`, or nothing: as the reader's device has it. */
  theme?: string
  /** See PageOptions. */
  palette?: string
}

/** Sessions as documents: our own, and those of other front ends. */
export function createExports ({ sessions, foreign }: ExportsOptions) {
  const { transcript } = sessions

  /** The page of a session of ours. */
  async function ownPage (id: string, options: PageOptions, isMasked: boolean): Promise<Buffer[]> {
    const row = sessions.get(id)
    const variant = isMasked ? 'masked' : 'plain'
    const wire = sessions.rowToWire(row)
    const messages = transcript.messages(id, variant)
    return await sessionPage(
      { ...wire, ...transcript.compressionAnchor(row, variant), title: isMasked ? redact(row.title) : wire.title },
      isMasked ? maskedAgain(messages) : messages, options)
  }

  async function guestPage (id: string, options: PageOptions): Promise<Buffer[]> {
    const { messages, ...detail } = await foreign.detail(id, { messages: true }) as unknown as SessionWire & { messages: unknown[] }
    return await sessionPage(detail, messages, options)
  }

  return {
    /** A document that can be imported again, as JSON text in pieces. Throws NotFound. */
    async json (id: string): Promise<Buffer[]> {
      if (sessions.isForeign(id)) return [Buffer.from(JSON.stringify(await foreign.exported(id), null, 2))]
      const row = sessions.get(id)
      return await exportJson({ row, wire: sessions.rowToWire(row), transcript, masked: sessions.isMasked() })
    },

    /**
     * A page to read, as HTML in pieces of its text; credentials are masked as the settings say. Throws
     * NotFound, and Invalid for an unknown theme.
     */
    async page (id: string, { theme, palette }: PageLook): Promise<Buffer[]> {
      const isGuest = sessions.isForeign(id)
      if (!isGuest) sessions.get(id)
      if (theme !== undefined && theme !== '' && theme !== 'light' && theme !== 'dark') throw new Invalid('theme must be light or dark')
      const options: PageOptions = { ...(theme === 'light' || theme === 'dark' ? { theme } : {}), palette }
      return isGuest ? await guestPage(id, options) : await ownPage(id, options, sessions.isMasked())
    },

    /**
     * The page of a session of ours for strangers: masked whatever the settings say, with a line of
     * its own below the title. Throws NotFound and Forbidden.
     */
    snapshot: (id: string, notice: string): Promise<Buffer[]> => ownPage(id, { notice }, true)
  }
}

export type Exports = ReturnType<typeof createExports>

/** What is known to be a secret by now need not have been when the messages were stored. */
async function * maskedAgain (messages: Iterable<Record<string, unknown>>): AsyncGenerator<Record<string, unknown>> {
  for (const message of messages) yield await redactDeepGently(message)
}
