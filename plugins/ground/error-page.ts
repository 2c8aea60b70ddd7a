import { type FastifyReply, type FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { asset } from '../../services/ground/assets.js'
import { fillPage } from '../../services/ground/text/html.js'
import { pageWordsFor } from './page-language.js'

const template = readFileSync(asset('web/error.html'), 'utf8')

/** Whether a person has opened an address in a browser that does not belong to an API. */
export function opensPage ({ method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): boolean {
  return method === 'GET' && !/^\/+(?:api|v1|static)(?:[/?]|$)/i.test(url) && headers.accept?.includes('text/html') === true
}

/** Sends the page for an address that has no page (`text`: null), or whose page could not be made. */
export function sendErrorPage (request: FastifyRequest, reply: FastifyReply, status: number, text: string | null): FastifyReply {
  const { tag, error: said } = pageWordsFor(request)
  return reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').header('vary', 'Accept-Language, Cookie')
    .send(fillPage(template, {
      lang: tag, name: request.server.settings.values().bot_name, title: status === 404 ? said.missing : said.failed,
      text: text ?? said.unknown, home: said.home
    }))
}
