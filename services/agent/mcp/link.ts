import { type ClarifyAsk } from '../protocol.js'
import { visibleProse } from '../../ground/text/visible.js'
import { type FormEnd } from './elicitation.js'
import { NotShown } from './form-schema.js'

/** An address that a person is asked to open, and its host as it is shown beside it. */
type Link = NonNullable<ClarifyAsk['link']>

const longestUrl = 4_096
const longestMessage = 2_000
const opened = 'Done'
const declines = 'Decline'

/**
 * Reads the address that a server wants a person to open. Throws NotShown unless it is reached over https or on this machine, and for an
 * address that looks like another host's.
 */
export function readLink (url: unknown): Link {
  if (typeof url !== 'string' || url.length > longestUrl || !URL.canParse(url)) {
    throw new NotShown('This client cannot show the address: it is no address, or too long.')
  }
  const { protocol, hostname, host, username, password, href } = new URL(url)
  const isHere = protocol === 'http:' && (/^127\.(?:\d{1,3}\.){2}\d{1,3}$/.test(hostname) || hostname === 'localhost' || hostname === '[::1]')
  if (protocol !== 'https:' && !isHere) throw new NotShown('This client shows no such address: it must begin with https://.')
  if (username !== '' || password !== '') throw new NotShown('This client shows no address with a user name in it: it looks like another host.')
  return { url: href, host }
}

/**
 * Asks a person to open a page, which is never opened automatically. `who`: the beginning of a sentence. The question leaves out what
 * follows the path, because it may contain a token and the question is stored. Throws NotShown.
 */
export async function askToOpen (
  who: string, message: string, url: unknown,
  ask: (question: Pick<ClarifyAsk, 'question' | 'choices' | 'link'>) => Promise<string | null>
): Promise<FormEnd> {
  const link = readLink(url)
  const { origin, pathname } = new URL(link.url)
  if (message.length > longestMessage) throw new NotShown('This client cannot show the message: it is too long.')
  const answer = await ask({
    question: `${who} asks you to open a page of ${link.host}: ${visibleProse(message)}\n\n${origin}${pathname}\n\nOpen it only if you trust ${link.host}. Answer "${opened}" when you have finished there, or "${declines}".`,
    choices: [opened, declines],
    link
  })
  if (answer === null) return { action: 'cancel', _meta: { reason: 'Nobody answered: no person was there, or the time was over.' } }
  return answer.trim().toLowerCase() === opened.toLowerCase() ? { action: 'accept', content: {} } : { action: 'decline' }
}
