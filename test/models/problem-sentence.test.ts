import { APICallError } from '@ai-sdk/provider'
import t from '#test'
import { classifyModelError } from '../../services/providers/errors.js'
import { readSentence } from '../../web/src/core/turn/problem-sentence.js'
import { languageCodes, languages } from '../../web/src/words/languages.js'

const failed = (statusCode: number, message: string) => new APICallError({ message, url: 'https://api.example/v1', requestBodyValues: {}, statusCode, responseBody: message })
const provider = { displayName: 'Acme (EU)' }

t.test('what the service says most often about a provider is said in every language, with what it names', async (t) => {
  const problems = [
    failed(401, 'bad key'), failed(402, 'payment required'), failed(429, 'too many requests'), failed(404, 'no such model'), Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  ].map((error) => classifyModelError(error, { provider, modelId: 'large-3.5' }))
  const read = problems.map(({ type, message, about }) => readSentence({ type, message: `Reworded: ${message}`, about }))
  t.same(problems.map(({ type, message }) => readSentence({ type, message })), read, 'also from the sentence, as earlier transcripts have it')
  t.match(read, ['auth_mismatch', 'quota_exhausted', 'rate_limit', 'model_not_found', 'no_response'].map((type) => ({ type, provider: 'Acme (EU)' })), problems.map(({ message }) => message).join(' '))
  t.equal(read[3]?.model, 'large-3.5')
  for (const language of languageCodes) {
    const { problems: { said } } = await languages[language].screens()
    t.equal(said === null, language === 'en')
    for (const one of read) if (one !== null && said !== null) t.match(said[one.type](one.provider, one.model), one.model === '' ? /Acme \(EU\)/ : /Acme \(EU\).*large-3\.5/)
  }
})

t.test('a sentence that quotes the provider is shown as it is', async (t) => {
  t.equal(readSentence({ type: 'error', message: 'Acme refused the request (status 400): bad temperature' }), null)
  t.equal(readSentence({ type: 'auth_mismatch', message: 'Set a key first' }), null)
  t.equal(readSentence({ type: null, message: 'Acme refused the API key.' }), null)
})
