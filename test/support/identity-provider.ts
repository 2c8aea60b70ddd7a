import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { type TestLike } from './app.js'

export interface IdentityProvider {
  issuer: string
  /** Requested paths. */
  requests: string[]
  /** The person who signs in next; `denied`: no one signs in, and the browser is sent back. */
  person: { sub: string, denied?: boolean, [claim: string]: unknown }
  /** Answers in place of the provider if it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Registers the service with the provider. Without a secret: as a public client. */
  register (redirectUri: string, secret?: string): void
  stop (): Promise<void>
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Starts a real provider of OpenID Connect on a port of its own, at which people sign in without being asked. */
export async function startIdentityProvider (t: TestLike): Promise<IdentityProvider> {
  let provider: Provider | undefined
  const server = http.createServer((request, response) => {
    idp.requests.push(request.url!.split('?')[0]!)
    if (idp.intercept(request, response)) return
    if (provider === undefined) response.writeHead(503).end()
    else if (request.url!.startsWith('/interaction/')) interact(provider, request, response).catch((error: unknown) => { response.writeHead(500).end(String(error)) })
    else provider.callback()(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function interact (provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params } = await provider.interactionDetails(request, response)
    const { sub, denied } = idp.person
    const finish = async (result: object) => await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
    if (denied === true) return await finish({ error: 'access_denied', error_description: '<b>no</b>' })
    if (prompt.name === 'login') return await finish({ login: { accountId: sub } })
    const grant = new provider.Grant({ accountId: sub, clientId: params.client_id })
    grant.addOIDCScope('openid email profile')
    await finish({ consent: { grantId: await grant.save() } })
  }

  const idp: IdentityProvider = {
    issuer,
    requests: [],
    person: { sub: 'nobody' },
    intercept: () => false,
    register (redirectUri, secret) {
      provider = new Provider(issuer, {
        clients: [{ client_id: 'service', redirect_uris: [redirectUri], ...secret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret: secret } }],
        findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ ...idp.person, sub: accountId }) }),
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        pkce: { required: () => true, methods: ['S256'] },
        cookies: { keys: ['not secret'] },
        ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Grant: 600, Interaction: 600, Session: 600 },
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'one', alg: 'RS256' }] }
      })
    },
    async stop () {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
  t.teardown(idp.stop)
  return idp
}

export interface Visit { url: string, status: number, text: string, headers: Headers }

/** A browser without script: follows redirects, and keeps cookies by origin and path. */
export class CookieBrowser {
  readonly #jar = new Map<string, { origin: string, path: string, pair: string }>()

  cookies (address: string): string {
    const { origin, pathname } = new URL(address)
    return [...this.#jar.values()].filter((kept) => kept.origin === origin && pathname.startsWith(kept.path)).map(({ pair }) => pair).join('; ')
  }

  /**
   * Follows redirects until a page comes, or a redirect to an address that `stopsAt` accepts: then it returns the status of the redirect.
   */
  async visit (address: string, stopsAt: (address: string) => boolean = () => false): Promise<Visit> {
    let url = address
    for (let hops = 0; hops < 20; hops++) {
      const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookies(url), accept: 'text/html' } })
      this.#keep(url, response)
      const text = await response.text()
      const location = response.headers.get('location')
      if (location === null) return { url, status: response.status, text, headers: response.headers }
      url = new URL(location, url).href
      if (stopsAt(url)) return { url, status: response.status, text, headers: response.headers }
    }
    throw new Error(`it is sent from one place to the other: ${url}`)
  }

  #keep (address: string, response: Response): void {
    const { origin } = new URL(address)
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/'
      const key = `${origin} ${path} ${pair.split('=')[0]}`
      const isGone = attributes.some((each) => /^max-age=0$/i.test(each) || (/^expires=/i.test(each) && Date.parse(each.slice(8)) < Date.now()))
      if (isGone) this.#jar.delete(key)
      else this.#jar.set(key, { origin, path, pair })
    }
  }
}
