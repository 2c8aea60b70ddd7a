import { type FastifyReply, type FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { signInLanguage } from '../../services/areas/auth/index.js'
import { asset } from '../../services/ground/assets.js'
import { fillPage } from '../../services/ground/html.js'
import { cookieValues } from './cookies.js'

const template = readFileSync(asset('web/error.html'), 'utf8')

const words = {
  en: {
    lang: 'en', missing: 'Page not found', unknown: 'The address may be mistyped, or the page was removed.', failed: 'This page cannot be shown',
    home: 'Go to the start page'
  },
  zh: { lang: 'zh-CN', missing: '找不到页面', unknown: '地址可能有误，或者页面已被移除。', failed: '无法显示此页面', home: '返回首页' }
} as const

/** Whether a person has opened an address in a browser that is no part of an interface for programs. */
export function opensPage ({ method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): boolean {
  return method === 'GET' && !/^\/+(?:api|v1|static)(?:[/?]|$)/i.test(url) && headers.accept?.includes('text/html') === true
}

/** What a person sees who has opened an address that has no page (`text`: null), or one that could not be made. */
export function sendErrorPage (request: FastifyRequest, reply: FastifyReply, status: number, text: string | null): FastifyReply {
  const { settings } = request.server
  const said = words[signInLanguage(
    [cookieValues(request.headers.cookie, 'app_language')[0], settings.savedLanguage()], request.headers['accept-language']
  )]
  return reply.code(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').header('vary', 'Accept-Language, Cookie')
    .send(fillPage(template, {
      lang: said.lang, name: settings.values().bot_name, title: status === 404 ? said.missing : said.failed, text: text ?? said.unknown,
      home: said.home
    }))
}
