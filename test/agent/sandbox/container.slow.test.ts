import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import t from '#test'
import { findContainerBoundary, refusedBy } from '../../../services/agent/sandbox/index.js'
import { inTheContainer } from '../../../services/agent/sandbox/landlock.js'
import { createTerminal } from '../../../services/agent/tools/terminal.js'
import { realPath } from '../../../services/agent/tools/containment.js'
import { numberedProcesses } from '../../../services/ground/process/processes.js'
import { temporaryFolder } from '../../support/folder.js'
import { toolContext } from '../../support/tool-context.js'

const env = { PATH: process.env.PATH ?? '', HOME: '/nowhere' }
/** Not in /tmp, which commands of the container can write to, and in which the project itself may be. */
const place = mkdtempSync(join([resolve('.build'), homedir()].find((folder) => !realPath(folder).startsWith('/tmp/')) ?? '/', '.boundary-'))
process.on('exit', () => rmSync(place, { recursive: true, force: true }))
const ownPlace = process.env['TMPDIR']
process.env['TMPDIR'] = place
t.teardown(() => {
  if (ownPlace === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = ownPlace
})
const asInContainer = { isContainer: true, user: 1000 }
const boundary = await findContainerBoundary(env, asInContainer)
/** Debian 12 has a setpriv without Landlock; scripts/image.sh check tries the same in the image. */
const needed = boundary.available ? {} : { skip: boundary.reason }

t.test('it is refused where it would protect nothing, with the reason', async (t) => {
  const reason = async (changes: object): Promise<unknown> => await findContainerBoundary(env, { ...asInContainer, ...changes })
  t.match(await reason({ isContainer: false }), { available: false, reason: /cannot be the boundary: the service does not run in one/ })
  t.match(await reason({ user: 0 }), { available: false, reason: /as root/ })
  t.match(await reason({ temporary: '/tmp/x' }), { available: false, reason: /TMPDIR/ })
  t.match(await findContainerBoundary({ PATH: '/nowhere', HOME: '/' }, asInContainer), { available: false, reason: /setpriv is not installed/ })
  const folder = temporaryFolder(t, 'setpriv')
  const saying = async (text: string) => {
    writeFileSync(join(folder, 'setpriv'), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return await findContainerBoundary({ PATH: `${folder}:/usr/bin:/bin`, HOME: '/' }, asInContainer)
  }
  t.match(await saying('echo "setpriv: unrecognized option \'--landlock-access\'" >&2; exit 1'), { reason: /older than 2\.41/ })
  t.match(await saying('echo "setpriv: landlock_create_ruleset failed: Operation not supported" >&2; exit 1'), { reason: /kernel has no Landlock/ })
  t.match(await saying('while [ "$1" != -- ]; do shift; done; shift; exec "$@"'), { available: false, reason: /a command reads or changes the service's files/ }, 'one that limits nothing')
  t.match(await saying('exit 3'), { available: false })
})

t.test('what bubblewrap was not let do is told apart', (t) => {
  const said: Array<[words: string, refused: string | null]> = [
    ['No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.', 'namespace'],
    ['Creating new namespace failed: Operation not permitted', 'namespace'], ['setting up uid map: Permission denied', 'namespace'],
    ['loopback: Failed RTM_NEWADDR: Operation not permitted', 'namespace'], ['Failed to make / slave: Permission denied', 'mount'],
    ["Can't mount proc on /newroot/proc: Operation not permitted", 'proc'], ['execvp /bin/sh: No such file or directory', null]
  ]
  for (const [words, refused] of said) t.equal(refusedBy(words), refused, words)
})

t.test('workspaces that it cannot be kept to are refused before anything runs', (t) => {
  const folder = mkdtempSync(join(realPath(place), 'w-'))
  mkdirSync(join(folder, 'state'))
  const limits = { setpriv: '/usr/bin/setpriv', program: '/bin/sh', argv: ['-c', 'true'], workspace: folder, cwd: folder, hidden: [] as string[], env }
  t.throws(() => inTheContainer({ ...limits, hidden: [join(folder, 'state')] }), /holds files of the system or of this service/)
  t.throws(() => inTheContainer({ ...limits, programs: [join(folder, 'state')] }), /holds files/)
  t.throws(() => inTheContainer({ ...limits, workspace: '/', cwd: '/' }), /holds files/)
  t.throws(() => inTheContainer({ ...limits, cwd: '/usr' }), /outside the workspace/)
  renameSync(join(folder, 'state'), join(folder, 'kept'))
  symlinkSync(join(folder, 'kept'), join(folder, 'swapped'))
  t.throws(() => inTheContainer({ ...limits, workspace: join(folder, 'swapped'), cwd: join(folder, 'swapped') }), /ENOTDIR|ELOOP|changed/, 'a link in its place')
  const { args, release } = inTheContainer({ ...limits, hidden: ['/etc/ssl'] })
  release()
  const opened = args.flatMap((arg) => /^--landlock-rule=path-beneath:([^:]*):(.*)$/.exec(arg)?.slice(1).join(' ') ?? [])
  t.notOk(opened.some((rule) => / (?:\/etc|\/etc\/ssl)$/.test(rule)), 'of a folder that holds a hidden one, the others are opened')
  t.ok(opened.some((rule) => rule.endsWith(' /etc/passwd')))
  t.ok(opened.filter((rule) => rule.includes('remove-file')).every((rule) => / (?:\/tmp|\/var\/tmp|\/dev\/shm|\/proc\/\d+\/fd\/\d+)$/.test(rule)), 'and little is written')
})

t.test('commands of the container do their work, and come to nothing that is the service\'s', needed, async (t) => {
  if (!boundary.available) return
  const folder = mkdtempSync(join(realPath(place), 'w-'))
  const [workspace, state] = [join(folder, 'workspace'), join(folder, 'state')]
  for (const path of [workspace, state]) mkdirSync(path)
  const secret = join(state, 'service.db')
  writeFileSync(secret, 'the secret')
  const server = createServer((socket) => socket.end('answered')).listen(join(state, 'socket'))
  t.teardown(() => server.close())
  const other = spawn('/bin/sleep', ['60'], { env: { KEY: 'the secret' } })
  t.teardown(() => other.kill('SIGKILL'))
  const terminal = createTerminal(undefined, boundary)
  const context = toolContext(workspace, { confined: true, hidden: [state], childEnv: env })
  const run = async (command: string): Promise<string> => (await terminal.run({ command }, context)).text

  t.match(await run('echo hi > a && cat a && mkdir -p b && mv a b/ && ls b && echo "$HOME" && touch ~/x /tmp/boundary-test && rm /tmp/boundary-test && node -e "console.log(6 * 7)"'), /hi\na\n\/tmp\/\.home\n42\n\[exit code 0\]/)
  for (const command of [
    `cat ${secret}`, `ls ${state}`, `echo x >> ${secret}`, `: > ${secret}`, `rm ${secret}`, `mv ${state} ${folder}/moved`, `ln ${secret} here; cat here`, `ln -s ${state} there; cat there/service.db`,
    `cp -r ${state} copied; cat copied/service.db`, `cat /proc/${other.pid ?? 0}/environ`, `ls /proc/${process.pid}/fd`, `cat /proc/${process.pid}/environ`, 'touch /usr/x', 'touch /etc/x',
    `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die $!; connect(S, sockaddr_un("${state}/socket")) or die $!; print <S>'`,
    `kill -USR1 ${other.pid ?? 0} && echo reached`, `perl -e 'kill "USR1", ${other.pid ?? 0} and print "reached"'`
  ]) t.notMatch(await run(command), /the secret|service\.db$|answered|reached/m, command)
  t.equal(readFileSync(secret, 'utf8'), 'the secret')
  t.ok(existsSync(state))
  t.equal(other.exitCode, null)
  t.equal(other.signalCode, null)
})

t.test('what a command has started ends with it, however it hides', needed, async (t) => {
  if (!boundary.available) return
  const workspace = mkdtempSync(join(realPath(place), 'w-'))
  const context = toolContext(workspace, { confined: true, childEnv: env })
  const beganMs = performance.now()
  const { text } = await createTerminal(undefined, boundary).run({
    command: 'for limit in 1 unlimited; do ulimit -x $limit 2>/dev/null && echo shed; done; (env -i setsid /bin/sh -c "sleep 1.5; echo late > planted" </dev/null >/dev/null 2>&1 &) ; sleep 0.3; echo ended'
  }, context)
  t.match(text, /ended/)
  t.notMatch(text, /shed/)
  await new Promise((resolve) => { setTimeout(resolve, beganMs + 1_700 - performance.now()) })
  t.notOk(existsSync(join(workspace, 'planted')))
  t.same(numberedProcesses(1), [])
})
