import { type FastifyRequest } from 'fastify'
import { type PageWords, wordsFor } from '../../services/ground/languages/index.js'
import { cookieValues } from './cookies.js'

/** What a page says that comes before the app, in the language of whoever asks for it. The answer varies by Accept-Language and Cookie. */
export const pageWordsFor = ({ headers, server }: FastifyRequest): PageWords =>
  wordsFor([cookieValues(headers.cookie, 'app_language')[0], server.settings.savedLanguage()], headers['accept-language'])
