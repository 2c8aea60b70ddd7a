import { type FastifyReply, type FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { asset } from '../../services/ground/assets.js'
import { type PageWords } from '../../services/ground/languages/index.js'
import { fillPage } from '../../services/ground/text/html.js'
import { pageWordsFor, visitorWordsFor } from './page-language.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route shows pages to the public: a missing one was unshared, and its visitor has no use for the app. */
    isForVisitors?: true
  }
}

const template = readFileSync(asset('web/error.html'), 'utf8')

/** Whether a person has opened an address in a browser that does not belong to an API. */
export function opensPage ({ method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): boolean {
  return method === 'GET' && !/^\/+(?:api|v1|static)(?:[/?]|$)/i.test(url) && headers.accept?.includes('text/html') === true
}

/**
 * Sends the page for an address that has no page (`text`: null), or whose page could not be made, in the reader's language as far as the
 * reason has a text there.
 */
export function sendErrorPage (request: FastifyRequest, reply: FastifyReply, status: number, text: string | null): FastifyReply {
  const isForVisitors = request.routeOptions.config.isForVisitors === true
  const { tag, error: said } = isForVisitors ? visitorWordsFor(request) : pageWordsFor(request)
  const known = knownText(said, status, { isForVisitors, isUnknown: text === null })
  return reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').header('vary', 'Accept-Language, Cookie')
    .send(fillPage(template, {
      lang: tag, name: request.server.settings.values().bot_name, title: status === 404 ? said.missing : said.failed,
      text: known ?? text ?? said.unknown, text_lang: known === null ? 'en' : tag,
      again: said.again, again_hidden: status >= 500 ? '' : 'hidden', home: said.home, home_hidden: isForVisitors ? 'hidden' : '',
      home_kind: status >= 500 ? '' : 'primary'
    }))
}

/** Returns the text for a status in the reader's language; null if only the service's own sentence says what is wrong. */
function knownText (
  said: PageWords['error'], status: number, { isForVisitors, isUnknown }: { isForVisitors: boolean, isUnknown: boolean }
): string | null {
  if (status === 500) return said.broken
  if (status === 404 && isForVisitors) return said.unshared
  return isUnknown ? said.unknown : null
}
