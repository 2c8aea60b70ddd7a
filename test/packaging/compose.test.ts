import { readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import t from '#test'
import { parse } from 'yaml'
import { variables } from '../../plugins/ground/config-variables.js'

interface Service {
  image: string, build?: string, profiles?: string[], command?: string[], environment?: Record<string, string | null>, volumes?: string[], networks?: object,
  secrets?: string[], read_only?: boolean, cap_drop?: string[], security_opt?: string[], user?: string, env_file?: Array<{ path: string, required: boolean }>
}
interface Compose { services: Record<string, Service>, volumes?: Record<string, null>, secrets?: Record<string, { file: string }>, networks?: Record<string, null> }

const read = (file: string): string => readFileSync(file, 'utf8')
const compose = (file: string): Compose => parse(read(file)) as Compose
const files = ['docker-compose.yml', 'docker-compose.machine.yml', 'docker-compose.sandbox.yml']
const namesIn = (text: string): string[] => [...new Set(text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\bPUID\b|\bPGID\b/g) ?? [])]
const example = read('.env.example')
const inExample = [...example.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name ?? '')
const configuration = read('docs/configuration.md')

t.test('each service has an image, and ours a way to build it; nothing runs with more rights than it needs', (t) => {
  for (const file of files.slice(0, 2)) {
    const { services, volumes = {}, secrets = {}, networks = {} } = compose(file)
    for (const [name, service] of Object.entries(services)) {
      const what = `${file}: ${name}`
      t.match(service.image, /^\$\{\w+_IMAGE:-[\w./-]+(?::\w+)?\}$/, what)
      t.ok(service.security_opt?.includes('no-new-privileges:true'), what)
      for (const volume of service.volumes ?? []) {
        const [from = ''] = volume.split(':')
        t.ok(from.startsWith('./') || from in volumes, `${what}: ${volume}`)
      }
      for (const secret of service.secrets ?? []) t.ok(secret in secrets, `${what}: ${secret}`)
      for (const network of Object.keys(Array.isArray(service.networks) ? {} : service.networks ?? {})) t.ok(network in networks, `${what}: ${network}`)
      if (!['agent', 'host'].includes(name)) continue
      t.match(service, { build: '.', read_only: true, cap_drop: ['ALL'], user: /^\$\{PUID:-1000\}:\$\{PGID:-1000\}$/, env_file: [{ path: '.env', required: false }] }, what)
    }
  }
  t.same(Object.entries(compose('docker-compose.yml').services).map(([name, { profiles }]) => [name, profiles?.join()]), [
    ['agent', undefined], ['caddy', 'caddy'], ['ollama', 'ollama']
  ], 'without a profile only the service starts')
  t.same(Object.keys(compose('docker-compose.sandbox.yml').services), ['agent'], 'it changes a service that is there')
})

t.test('Caddy reaches the service over the network in which its address is trusted, and nobody else gets that address', (t) => {
  const { services: { agent, caddy }, networks: { edge } } = parse(read('docker-compose.yml')) as {
    services: { agent: Service & { networks: { edge: { aliases: string[] } } }, caddy: { networks: { edge: { ipv4_address: string } } } }
    networks: { edge: { ipam: { config: [{ subnet: string, ip_range: string }] } } }
  }
  const address = caddy.networks.edge.ipv4_address
  const [{ subnet, ip_range: givenOut }] = edge.ipam.config
  const isIn = (range: string): boolean => {
    const [network = '', bits] = range.split('/')
    const list = new BlockList()
    list.addSubnet(network, Number(bits))
    return list.check(address)
  }
  t.same([isIn(subnet), isIn(givenOut)], [true, false], 'Docker gives it to no other container')
  t.equal(agent.environment?.['SVC_WEBUI_TRUSTED_PROXIES'], `\${SVC_WEBUI_TRUSTED_PROXIES:-${address}}`)
  const [alias = ''] = agent.networks.edge.aliases
  const caddyfile = read('packaging/Caddyfile')
  t.match(caddyfile, `reverse_proxy ${alias}:${agent.environment?.['SVC_WEBUI_PORT'] ?? ''}`, 'by its name in that network alone')
  t.match(caddyfile, '{$SVC_SITE:localhost} {')
})

t.test('variables of the compose files are documented', (t) => {
  for (const file of files) {
    for (const name of namesIn(read(file)).filter((name) => !/^(?:NET_BIND_SERVICE|NO_NEW)/.test(name))) {
      const isKnown = inExample.includes(name) || inExample.includes(name.replace(/_FILE$/, ''))
      t.ok(isKnown && (configuration.includes(name) || read('docs/docker.md').includes(name)), `${file}: ${name}`)
    }
  }
})

t.test('.env.example has every variable that the service reads, and no other', (t) => {
  const documented = namesIn([...configuration.matchAll(/^\| (`[^|]+`[^|]*)\|/gm)].map(([, names]) => names).join('\n'))
  t.same([...variables, ...documented].filter((name) => !inExample.includes(name)), [])
  const told = `${configuration}${read('docs/docker.md')}${read('docs/operations.md')}${read('docs/interface.md')}${read('docs/editors.md')}`
  const isTold = (name: string): boolean => told.includes(name) || (name.endsWith('_FILE') && told.includes(name.replace(/_FILE$/, '')))
  t.same(inExample.filter((name) => !isTold(name)), [], 'each is described')
  t.same(variables.filter((name) => !configuration.includes(`\`${name}\``)), [])
  t.same(inExample.filter((name, index) => inExample.indexOf(name) !== index), [], 'each once')
})

t.test('the seccomp profile refuses what reaches the machine, and nothing that bubblewrap needs', (t) => {
  const { defaultAction, syscalls } = JSON.parse(read('packaging/seccomp.json')) as { defaultAction: string, syscalls: Array<{ names: string[], action: string, args?: object[] }> }
  t.equal(defaultAction, 'SCMP_ACT_ALLOW')
  t.ok(syscalls.every(({ action }) => action === 'SCMP_ACT_ERRNO'))
  const refused = syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names)
  for (const call of ['clone', 'clone3', 'unshare', 'mount', 'umount2', 'pivot_root', 'prctl', 'seccomp', 'landlock_restrict_self', 'setns']) t.notOk(refused.includes(call), call)
  for (const call of ['init_module', 'finit_module', 'kexec_load', 'bpf', 'perf_event_open', 'keyctl', 'add_key', 'io_uring_setup', 'open_by_handle_at', 'reboot', 'swapon', 'userfaultfd']) {
    t.ok(refused.includes(call), call)
  }
})

t.test('the image has a base that can be pinned, a user by number, an init and a health check', (t) => {
  const text = read('Dockerfile')
  t.match(text, /^ARG NODE_IMAGE=docker\.io\/library\/node:24-trixie-slim(?:@sha256:[0-9a-f]{64})?$/m)
  t.match([...new Set([...text.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from))], [/^\$\{NODE_IMAGE\}$/, 'slim'])
  t.equal([...text.matchAll(/^USER (\S+)$/gm)].at(-1)?.[1], '1000:1000')
  t.match(text, /^ENTRYPOINT \["entrypoint"\]$/m)
  t.match(text, / tini /)
  t.match(text, /^HEALTHCHECK .*CMD \["healthcheck"\]$/m)
  for (const [, file] of text.matchAll(/^COPY (packaging\/\S+)/gm)) t.match(read(file ?? ''), /^#!\/bin\/(?:ba)?sh\n/, file)
})
