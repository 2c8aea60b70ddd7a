import { networkInterfaces } from 'node:os'
import t from '#test'
import { createRoutes } from '../../../services/ground/proxy/routes.js'

const proxy = 'http://proxy.example:3128'

t.test('which proxy a connection goes through', async (t) => {
  const cases: Array<[what: string, env: Record<string, string>, section: Parameters<typeof createRoutes>[1], url: string, shown: string | null]> = [
    ['nothing is set', {}, {}, 'https://a.example/', null],
    ['one for https alone', { HTTPS_PROXY: proxy }, {}, 'https://a.example/', 'proxy.example:3128'],
    ['which is none for http', { HTTPS_PROXY: proxy }, {}, 'http://a.example/', null],
    ['a WebSocket', { HTTPS_PROXY: proxy }, {}, 'wss://a.example/', 'proxy.example:3128'],
    ['for all', { ALL_PROXY: proxy }, {}, 'http://a.example/', 'proxy.example:3128'],
    ['its own before that for all', { ALL_PROXY: proxy, http_proxy: 'other.example' }, {}, 'http://a.example/', 'other.example:80'],
    ['lower case first', { HTTPS_PROXY: proxy, https_proxy: 'https://low.example' }, {}, 'https://a.example/', 'low.example:443'],
    ['an empty one is none', { HTTPS_PROXY: proxy, https_proxy: '' }, {}, 'https://a.example/', null],
    ['config.yaml first', { HTTPS_PROXY: proxy }, { proxy: 'socks5://socks.example' }, 'https://a.example/', 'socks.example:1080'],
    ['config.yaml says none', { HTTPS_PROXY: proxy }, { proxy: 'Direct' }, 'https://a.example/', null],
    ['an IPv6 proxy', { HTTPS_PROXY: 'http://[2001:db8::1]:8080' }, {}, 'https://a.example/', '[2001:db8::1]:8080'],
    ['a login is not shown', { HTTPS_PROXY: 'http://me:s3cret@proxy.example' }, {}, 'https://a.example/', 'proxy.example:80'],
    ...['http://127.0.0.1:11434/', 'http://127.9.9.9/', 'http://localhost:1234/', 'http://x.localhost./', 'http://[::1]:1/', 'http://[::ffff:127.0.0.1]/', 'http://0.0.0.0/', 'http://host.docker.internal/'].map((url): [string, Record<string, string>, undefined, string, null] =>
      [`this machine: ${url}`, { ALL_PROXY: proxy }, undefined, url, null]),
    ['another machine of the network', { ALL_PROXY: proxy }, {}, 'http://192.0.2.7/', 'proxy.example:3128']
  ]
  for (const [what, env, section, url, shown] of cases) t.equal(createRoutes(env, section).proxyFor(new URL(url))?.shown ?? null, shown, what)
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((own) => own ?? [])) {
    if (family === 'IPv4') t.equal(createRoutes({ ALL_PROXY: proxy }).proxyFor(new URL(`http://${address}/`)), null, 'an address of this machine')
  }
})

t.test('what NO_PROXY excepts', async (t) => {
  const cases: Array<[exceptions: string, url: string, isDirect: boolean]> = [
    ['*', 'https://a.example/', true],
    ['a.example', 'https://a.example/', true], ['a.example', 'https://A.EXAMPLE./', true], ['a.example', 'https://b.a.example/', true], ['a.example', 'https://xa.example/', false],
    ['.a.example', 'https://b.a.example/', true], ['*.a.example', 'https://b.a.example/', true], ['x, a.example', 'https://a.example/', true], ['x a.example', 'https://a.example/', true],
    ['a.example:8443', 'https://a.example:8443/', true], ['a.example:8443', 'https://a.example/', false], ['a.example:443', 'https://a.example/', true], ['a.example:80', 'http://a.example/', true],
    ['10.0.0.0/8', 'http://10.1.2.3/', true], ['10.0.0.0/8', 'http://11.1.2.3/', false], ['10.0.0.0/8', 'http://a.example/', false],
    ['2001:db8::/32', 'http://[2001:db8::9]/', true], ['2001:db8::/32', 'http://10.0.0.1/', false], ['[2001:db8::9]:81', 'http://[2001:db8::9]:81/', true], ['2001:db8::9', 'http://[2001:DB8:0::9]/', true],
    ['192.0.2.1', 'http://192.0.2.1/', true], ['192.0.2.1', 'http://192.0.2.10/', false], ['', 'http://a.example/', false], [',', 'http://a.example/', false]
  ]
  for (const [exceptions, url, isDirect] of cases) {
    t.equal(createRoutes({ ALL_PROXY: proxy, NO_PROXY: exceptions }).proxyFor(new URL(url)) === null, isDirect, `${exceptions} ${url}`)
  }
  t.equal(createRoutes({ ALL_PROXY: proxy, NO_PROXY: '*' }, { no_proxy: ['b.example'] }).proxyFor(new URL('http://a.example/'))?.shown, 'proxy.example:3128')
})

t.test('an address that is none stops what would go through it, and nothing else', async (t) => {
  for (const address of ['http://', 'ftp://proxy.example', 'http://a b', '://', 'socks4://proxy.example']) {
    const routes = createRoutes({ HTTPS_PROXY: address })
    t.throws(() => routes.proxyFor(new URL('https://a.example/')), { code: 'proxy_unusable', says: /HTTPS_PROXY is not the address of a proxy/ }, address)
    t.equal(routes.proxyFor(new URL('http://a.example/')), null)
    t.same(routes.variables(true), {})
  }
})

t.test('other programs get the way out; a password goes to those alone that need it', async (t) => {
  const open = createRoutes({ HTTPS_PROXY: proxy, NO_PROXY: 'a.example', NODE_EXTRA_CA_CERTS: '/ca.pem', OPENAI_API_KEY: 'k' })
  const expected = { HTTPS_PROXY: `${proxy}`, https_proxy: `${proxy}`, NO_PROXY: 'localhost,127.0.0.1,::1,a.example', no_proxy: 'localhost,127.0.0.1,::1,a.example', NODE_EXTRA_CA_CERTS: '/ca.pem' }
  t.same(open.variables(true), expected)
  t.same(open.variables(false), expected)
  const closed = createRoutes({}, { proxy: 'http://me:p%40ss@proxy.example:3128' })
  t.match(closed.variables(true), { HTTPS_PROXY: 'http://me:p%40ss@proxy.example:3128', http_proxy: 'http://me:p%40ss@proxy.example:3128' })
  t.same(closed.variables(false), {})
  t.match(closed.proxyFor(new URL('https://a.example/')), { login: { user: 'me', password: 'p@ss' } })
  t.same(Object.keys(createRoutes({ ALL_PROXY: 'socks5://s.example' }).variables(true)).sort(), ['ALL_PROXY', 'NO_PROXY', 'all_proxy', 'no_proxy'])
})
