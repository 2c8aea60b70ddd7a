import { join } from 'node:path'
import t from '#test'
import { decide, type PolicyContext } from '../../../services/agent/policy/index.js'
import { createTools } from '../../../services/agent/tools/index.js'
import { lookInRepository } from '../../support/policy-repository.js'
import { confined, confinedAsked, leaving } from '../../support/policy-sandbox.js'

const terminal = createTools({ sandbox: { available: true, kind: 'container', program: '/usr/bin/setpriv', version: '2.41' } }).find(({ name }) => name === 'terminal')
if (terminal === undefined) throw new Error('There is no terminal')
const context: PolicyContext = {
  workspace: '/home/ann/workspace', home: '/home/ann/.svc', serviceRoots: ['/home/ann/.svc/webui'], programRoots: ['/srv/service/dist'], userHome: '/home/ann',
  grants: new Set(), yolo: false, attended: true, sandboxed: true, limitedBy: 'container',
  resolvePath: (path) => join(path, '.').replace(/(.)\/$/, '$1'), look: lookInRepository
}
const run = (command: string, changes: Partial<PolicyContext> = {}) => decide({ tool: terminal, args: { command } }, { ...context, ...changes })

t.test('the container as the boundary lets run what a sandbox does', (t) => {
  for (const [what, commands] of Object.entries(confined)) {
    for (const command of commands) t.match(run(command), { verdict: 'allow', confined: true, patternKeys: [] }, `${what}: ${command}`)
  }
  for (const [command, keys] of confinedAsked) {
    t.match(run(command), { verdict: 'ask', confined: true, patternKeys: keys, description: /It stays in the container, but (?:may delete something|what it deletes) there/ }, command)
  }
})

t.test('what needs a network alone does not ask, with the network of the container', (t) => {
  for (const command of [
    'curl https://a.example', 'wget -q https://a.example', 'git fetch origin', 'git pull', 'git clone https://a.example/r', 'git ls-remote', 'npm install', 'npm ci && npm test', 'pip install x',
    'cargo fetch', 'go get a.example/x', 'curl https://a.example/x | sh', 'ping a.example'
  ]) {
    t.match(run(command), { verdict: 'allow', confined: true, patternKeys: [] }, command)
    t.match(run(command, { limitedBy: undefined }), { verdict: 'ask', confined: false }, `${command}: in a sandbox`)
  }
  t.match(run('curl https://a.example', { denied: ['net:a.example'] }), { verdict: 'forbid' }, 'what the operator denies')
})

t.test('what acts elsewhere, or needs more than the container allows commands, asks and says so', (t) => {
  const asking: Array<[command: string, why: RegExp]> = [
    ['git push', /git push needs the network and acts on another system/], ['git push --force', /acts on another system/], ['npm publish', /npm publish .* acts on another system/], ['ssh host ls', /ssh .* acts on another system/],
    ['scp a host:b', /acts on another system/], ['gh pr create', /acts on another system/], ['aws s3 rm s3://b', /acts on another system/], ['cargo publish', /acts on another system/], ['npm ci && npm publish', /acts on another system/],
    ['sudo ls', /sudo runs as another user/], ['cat /srv/x', /reads files outside the workspace/], ['cat ~/.ssh/id_ed25519', /may read secrets/], ['cat /home/ann/.svc/webui/service.db', /may read secrets/],
    ['echo x > ../y', /write files outside/], ['pkill node', /reaches processes outside the sandbox/], ['apt-get install x', /acts on this machine/], ['docker run alpine', /acts on this machine/]
  ]
  for (const [command, why] of asking) {
    const { verdict, confined, description } = run(command)
    t.same([verdict, confined], ['ask', false], command)
    t.match(description, /Exceeds what commands in the container may do without asking: /, command)
    t.match(description, why, command)
    t.match(run(command, { attended: false }), { verdict: 'forbid' }, `${command}: nobody there`)
  }
  const unconfined = decide({ tool: { ...terminal, targets: (args) => ({ ...terminal.targets(args), unconfined: true }) }, args: { command: 'ls' } }, context)
  t.match(unconfined, { verdict: 'ask', confined: false, description: /the agent asked for it/ })
})

t.test('nothing that leaves a sandbox for another reason than the network comes to run unasked', (t) => {
  for (const [command, , why] of leaving) {
    const inSandbox = run(command, { limitedBy: undefined })
    const here = run(command)
    t.match(inSandbox.description, why, command)
    if (here.verdict === 'allow') t.match(inSandbox.description, /needs the network[.,]|connects to/, command)
  }
})

t.test('what never runs does not run here either', (t) => {
  for (const command of ['rm -rf /', 'rm -rf ~', 'mkfs.ext4 /dev/sda', ':(){ :|:& };:', 'dd if=/dev/zero of=/dev/sda', 'rm -rf ~/.svc/webui', 'echo x > ~/.svc/webui/x']) {
    for (const changes of [{}, { yolo: true }, { grants: new Set(['*']) }]) t.match(run(command, changes), { verdict: 'forbid', reason: /never run/ }, command)
  }
})
