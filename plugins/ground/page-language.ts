import { type FastifyRequest } from 'fastify'
import { type PageWords, wordsFor } from '../../services/ground/languages/index.js'
import { cookieValues } from './cookies.js'

/** Returns the texts of a page outside the app, in the reader's language. The answer varies by Accept-Language and Cookie. */
export const pageWordsFor = ({ headers, server }: FastifyRequest): PageWords =>
  wordsFor([cookieValues(headers.cookie, 'app_language')[0], server.settings.savedLanguage()], headers['accept-language'])

/**
 * Returns the texts of a page for the public, in the language of its visitor: the one of the service is the owner's. The answer varies by
 * Accept-Language and Cookie.
 */
export const visitorWordsFor = ({ headers }: FastifyRequest): PageWords =>
  wordsFor([cookieValues(headers.cookie, 'app_language')[0]], headers['accept-language'])
