import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { readProfileSettings } from '../../../ground/home/settings.js'
import { createRoutes, type Proxy } from '../../../ground/proxy/routes.js'
import { ProxyTrouble } from '../../../ground/proxy/trouble.js'
import { openTunnel } from '../../../ground/proxy/tunnel.js'
import { type Check, type Finding, coded, ok, orOk, problem } from '../check.js'

const answerMs = 5_000
/** A proxy is asked for a tunnel to this host, through which nothing is sent. Its name is reserved for examples, and has an address. */
const target = { host: 'example.com', port: 443 }

/** The way to the internet: whether the proxies accept the login and open connections, and whether custom certificates can be read. */
export function proxyCheck ({ home, env }: { home: string, env: Record<string, string> }): Check {
  return {
    id: 'proxy',
    group: 'connections',
    title: 'Way to the internet',
    async run () {
      const routes = createRoutes(env, readProfileSettings(home, env).config.outgoing ?? {})
      const found = await Promise.all([...routes.proxies.map(answerOf), authorityOf(env['NODE_EXTRA_CA_CERTS'])])
      const unusable = ['http://host.invalid', 'https://host.invalid'].flatMap((url) => troubleAt(() => routes.proxyFor(new URL(url))))
      const problems = [...unusable.slice(0, 1), ...found.filter((finding) => finding !== null)]
      const names = routes.proxies.map(({ shown }) => shown).join(' and ')
      if (names === '') return orOk(problems, 'Connections leave this machine directly.', 'internet_direct')
      if (problems.length > 0) return problems
      const hasLogin = routes.proxies.some(({ login }) => login !== null)
      return coded(
        ok(`Connections go through the proxy ${names}, which answers${hasLogin ? ' and accepts the login' : ''}.`),
        hasLogin ? 'proxy_accepts_login' : 'proxy_answers', { target: names }
      )
    }
  }
}

/** Returns null if the proxy opens a tunnel, or refuses only this one host. */
async function answerOf (proxy: Proxy): Promise<Finding | null> {
  try {
    (await openTunnel(proxy, target, answerMs)).on('error', () => {}).destroy()
    return null
  } catch (error) {
    if (error instanceof ProxyTrouble) return error.problem === 'refused' ? null : findingOf(error)
    throw error
  }
}

function troubleAt (find: () => unknown): Finding[] {
  try {
    find()
    return []
  } catch (error) {
    if (error instanceof ProxyTrouble) return [findingOf(error)]
    throw error
  }
}

const findingOf = ({ says, next }: ProxyTrouble): Finding => problem(`The internet ${says}.`, next)

async function authorityOf (path = ''): Promise<Finding | null> {
  if (path === '') return null
  try {
    void new X509Certificate(await readFile(path))
    return null
  } catch {
    return problem(
      'The file in NODE_EXTRA_CA_CERTS cannot be read as certificates, so it is ignored.',
      'Name a PEM file that the user of the service may read, and restart the service.'
    )
  }
}
