import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { knownSecrets, secretsOfVariables } from '../../services/ground/redaction/index.js'

/** What the service was started with and must not be seen in any text: the first plugin of all, as others already log. */
export default fp(async (app: FastifyInstance) => {
  const { password, proxyHeader, oidc, env } = app.config
  knownSecrets.keep(secretsOfVariables(env))
  if (password !== null) knownSecrets.keep([password])
  if (oidc !== null && oidc.clientSecret !== null) knownSecrets.keep([oidc.clientSecret])
  // Of a header such as `Authorization: Bearer …`, its last word.
  if (proxyHeader !== null) knownSecrets.keep([proxyHeader.value, proxyHeader.value.replace(/^[^]*\s/, '')])
}, { name: 'secrets', dependencies: ['config'] })
