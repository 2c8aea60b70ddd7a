import { type FastifyRequest } from 'fastify'
import { type PageWords, wordsFor } from '../../services/ground/languages/index.js'
import { cookieValues } from './cookies.js'

/** Returns the words for pages before the app, in the language of the reader. The answer varies by Accept-Language and Cookie. */
export const pageWordsFor = ({ headers, server }: FastifyRequest): PageWords =>
  wordsFor([cookieValues(headers.cookie, 'app_language')[0], server.settings.savedLanguage()], headers['accept-language'])
