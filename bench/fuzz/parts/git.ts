import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asset } from '../../../services/ground/assets.js'
import { once } from '../../../services/ground/concurrency/once.js'
import { workspaceOf } from '../../seed.js'
import { type Answer } from '../../wire.js'
import { operationsOf, type OpenApi, type Operation } from '../document.js'
import { type Part } from './part.js'
import { serviceOf } from './served.js'

/** A repository under test, and the planted program. */
interface Place { root: string, gitFolder: string, program: string, traces: string }

/** Settings that make git run a program, or redirect it; `!` stands for the program, `.` for the work tree. */
const programs: ReadonlyArray<readonly [key: string, value: string]> = [
  ['core.fsmonitor', '!'], ['core.hooksPath', './hooks'], ['core.sshCommand', '!'], ['core.gitProxy', '!'], ['core.askPass', '!'], ['core.pager', '!'], ['core.editor', '!'], ['sequence.editor', '!'], ['core.alternateRefsCommand', '!'], ['core.attributesFile', './attributes'],
  ['core.excludesFile', './attributes'], ['core.worktree', '.'], ['core.bare', 'true'], ['core.untrackedCache', 'true'], ['credential.helper', '!!'], ['credential.https://a.example.helper', '!'], ['diff.external', '!'], ['diff.planted.command', '!'], ['diff.planted.textconv', '!'],
  ['diff.planted.cachetextconv', 'true'], ['filter.planted.clean', '!'], ['filter.planted.smudge', '!'], ['filter.planted.process', '!'], ['filter.planted.required', 'true'], ['filter.a.b=c.clean', '!'], ['filter.ü.smudge', '!'], ['merge.planted.driver', '! %A'], ['merge.default', 'planted'], ['merge.tool', 'planted'],
  ['mergetool.planted.cmd', '!'], ['difftool.planted.cmd', '!'], ['diff.tool', 'planted'], ['gpg.program', '!'], ['gpg.format', 'ssh'], ['gpg.ssh.program', '!'], ['gpg.ssh.defaultKeyCommand', '!'], ['gpg.x509.program', '!'], ['commit.gpgSign', 'true'], ['tag.gpgSign', 'true'], ['push.gpgSign', 'true'],
  ['merge.verifySignatures', 'true'], ['log.showSignature', 'true'], ['user.signingKey', 'a'], ['pager.status', '!'], ['pager.log', '!'], ['pager.diff', '!'], ['pager.branch', '!'], ['uploadpack.packObjectsHook', '!'], ['remote.origin.uploadpack', '!'], ['remote.origin.receivepack', '!'],
  ['remote.origin.vcs', 'planted'], ['remote.origin.url', 'ext::!'], ['remote.origin.pushurl', 'ext::!'], ['remote.origin.url', '--upload-pack=!'], ['remote.origin.url', 'ssh://-oProxyCommand=!/x'], ['remote.origin.url', './other'], ['remote.origin.proxy', '!'], ['remote.origin.promisor', 'true'],
  ['extensions.partialClone', 'origin'], ['extensions.worktreeConfig', 'true'], ['url.ext::! .insteadOf', './'], ['url.ext::! .pushInsteadOf', './'], ['protocol.ext.allow', 'always'], ['protocol.allow', 'always'], ['protocol.file.allow', 'always'], ['branch.main.remote', 'origin'], ['branch.main.merge', 'refs/heads/main'],
  ['branch.main.remote', 'ext::!'], ['remote.pushDefault', 'ext::!'], ['trailer.sign.command', '!'], ['trailer.sign.cmd', '!'], ['hook.planted.command', '!'], ['hook.planted.event', 'pre-commit'], ['interactive.diffFilter', '!'], ['submodule.sub.update', '!!'], ['submodule.recurse', 'true'], ['submodule.sub.ignore', 'none'],
  ['submodule.sub.url', 'ext::!'], ['submodule.sub.active', 'true'], ['diff.submodule', 'log'], ['status.submoduleSummary', 'true'], ['fetch.recurseSubmodules', 'true'], ['push.recurseSubmodules', 'on-demand'], ['maintenance.auto', 'true'], ['maintenance.strategy', 'incremental'], ['gc.auto', '1'], ['gc.recentObjectsHook', '!'],
  ['http.proxy', '!'], ['http.extraHeader', 'A: b'], ['browser.planted.cmd', '!'], ['web.browser', 'planted'], ['tar.planted.command', '!'], ['format.pretty', '%(trailers)'], ['format.signOff', 'true'], ['core.commentChar', 'auto'], ['i18n.logOutputEncoding', 'UTF-16'], ['log.mailmap', 'true'], ['mailmap.file', './attributes'],
  ['column.ui', 'always'], ['color.ui', 'always'], ['status.showUntrackedFiles', 'all'], ['index.version', '4'], ['core.splitIndex', 'true'], ['core.sharedRepository', '0777'], ['core.logAllRefUpdates', 'always'], ['core.symlinks', 'false'], ['core.autocrlf', 'input'], ['safe.directory', '*'], ['include.path', '/dev/zero/none'],
  ...['status', 'diff', 'log', 'commit', 'add', 'stash', 'config', 'rev-parse', 'for-each-ref', 'fetch', 'push', 'switch', 'ls-files', 'show', 'reset'].map((name) => [`alias.${name}`, '!!'] as const)
]
const hooks = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout', 'post-merge', 'pre-push', 'pre-rebase', 'post-rewrite', 'reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'pre-auto-gc', 'query-watchman', 'pre-merge-commit', 'update', 'pre-receive', 'post-receive', 'proc-receive']
const attributes = ['* filter=planted', '* diff=planted', '* merge=planted', '*.txt filter=ü', '* filter=a.b=c', '* text eol=crlf', '* working-tree-encoding=UTF-16', '* ident export-subst', '[attr]m filter=planted diff=planted\n*.txt m', '"a.txt" filter=planted', 'sub diff=planted']

/** Ways to write a setting in a file; git reads all of them alike. */
const spellings: ReadonlyArray<(section: string, subsection: string | null, name: string, value: string) => string> = [
  (section, subsection, name, value) => `[${section}${subsection === null ? '' : ` "${subsection}"`}]\n\t${name} = ${value}\n`,
  (section, subsection, name, value) => `[${section.toUpperCase()}${subsection === null ? '' : `\t"${subsection}"`}]${name.toUpperCase()}=${value}\n`,
  (section, subsection, name, value) => `[${section}${subsection === null ? '' : ` "${subsection}"`}] ; "\n  ${name} = "${value}" # a comment\n`,
  (section, subsection, name, value) => `[${section}${subsection === null ? '' : ` "${subsection}"`}]\r\n${name} = ${value.slice(0, 1)}\\\n${value.slice(1)}\r\n`
]

function written ([key, value]: readonly [string, string], { root, program }: Place, spelling: number): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  const meant = value.replace(/^\.(?=\/|$)/, root).replace(/!(?=$|[ /])/, program)
  const place = key.slice(first + 1, Math.max(first + 1, last)).replace('!', program).replaceAll('"', '\\"')
  return spellings[spelling]?.(key.slice(0, first), last === first ? null : place, key.slice(last + 1), meant) ?? ''
}

/** Places of the settings: the repository's own file, or a file that it leads to. */
const leads: ReadonlyArray<(place: Place, settings: string) => void> = [
  ({ gitFolder }, settings) => appendFileSync(join(gitFolder, 'config'), `\n${settings}`),
  ({ gitFolder, root }, settings) => {
    writeFileSync(join(root, 'included'), settings)
    appendFileSync(join(gitFolder, 'config'), `\n[include]\n\tpath = ${root}/included\n`)
  },
  ...['gitdir:**', 'gitdir/i:/**', 'onbranch:**', 'hasconfig:remote.*.url:**'].map((condition) => ({ gitFolder, root }: Place, settings: string) => {
    writeFileSync(join(root, 'included'), settings)
    appendFileSync(join(gitFolder, 'config'), `\n[includeIf "${condition}"]\n\tpath = ${root}/included\n`)
  }),
  ({ gitFolder }, settings) => {
    appendFileSync(join(gitFolder, 'config'), '\n[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n')
    writeFileSync(join(gitFolder, 'config.worktree'), settings)
  }
]

const git = (folder: string, ...args: string[]): string => execFileSync('git', [
  '-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'init.defaultBranch=main', '-c', 'protocol.file.allow=always', ...args
], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env.PATH, HOME: folder } })

/** A work tree with changes of every kind, a branch to switch to, a stash, and a remote. */
export function template (root: string): void {
  mkdirSync(join(root, 'folder'), { recursive: true })
  git(root, 'init')
  for (const name of ['a.txt', 'b.txt', 'folder/c.txt']) writeFileSync(join(root, name), `${name}\n`.repeat(5))
  git(root, 'add', '.')
  git(root, 'commit', '-m', 'Begin')
  git(root, 'clone', '--bare', '.', 'other')
  git(root, 'remote', 'add', 'origin', join(root, 'other'))
  git(root, 'fetch', 'origin')
  git(root, 'branch', '--set-upstream-to', 'origin/main')
  git(root, 'config', 'user.name', 'Ann')
  git(root, 'config', 'user.email', 'ann@example.org')
  git(root, 'checkout', '-b', 'side')
  writeFileSync(join(root, 'b.txt'), 'theirs\n')
  git(root, 'commit', '-am', 'Theirs')
  git(root, 'checkout', 'main')
  writeFileSync(join(root, 'a.txt'), 'put aside\n')
  git(root, 'stash')
  writeFileSync(join(root, 'a.txt'), 'changed\n')
  writeFileSync(join(root, 'folder/c.txt'), 'staged\n')
  git(root, 'add', 'folder/c.txt')
  writeFileSync(join(root, 'new.txt'), 'new\n')
}

/** Repositories that differ from what `git init` makes, apart from their settings. Returns where the settings of `place` are then. */
const shapes: Readonly<Record<string, (place: Place) => Place>> = {
  plain: (place) => place,
  'its folder elsewhere': (place) => {
    const gitFolder = join(place.root, 'planted.git')
    renameSync(place.gitFolder, gitFolder)
    writeFileSync(place.gitFolder, 'gitdir: planted.git\n')
    return { ...place, gitFolder }
  },
  'a linked work tree': (place) => {
    const main = join(place.root, 'main')
    mkdirSync(main)
    renameSync(place.gitFolder, join(main, '.git'))
    const linked = join(main, '.git', 'worktrees', 'planted')
    mkdirSync(linked, { recursive: true })
    for (const name of ['HEAD', 'index']) cpSync(join(main, '.git', name), join(linked, name))
    writeFileSync(join(linked, 'commondir'), '../..\n')
    writeFileSync(join(linked, 'gitdir'), `${place.gitFolder}\n`)
    writeFileSync(place.gitFolder, `gitdir: ${linked}\n`)
    return { ...place, gitFolder: join(main, '.git') }
  },
  'a submodule': (place) => {
    const sub = join(place.root, 'sub')
    cpSync(place.gitFolder, join(sub, '.git'), { recursive: true })
    const sha = git(place.root, 'rev-parse', 'HEAD').trim()
    git(place.root, 'update-index', '--add', '--cacheinfo', `160000,${sha},sub`)
    writeFileSync(join(place.root, '.gitmodules'), `[submodule "sub"]\n\tpath = sub\n\turl = ext::${place.program}\n\tupdate = !${place.program}\n`)
    return { ...place, gitFolder: join(sub, '.git') }
  },
  'a bare one inside': (place) => {
    cpSync(place.gitFolder, join(place.root, 'folder', 'bare'), { recursive: true })
    cpSync(place.gitFolder, join(place.root, 'folder', '.git'), { recursive: true })
    return { ...place, gitFolder: join(place.root, 'folder', '.git') }
  },
  'objects missing': (place) => {
    const blob = git(place.root, 'rev-parse', 'side:b.txt').trim()
    rmSync(join(place.gitFolder, 'objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    return place
  },
  'objects elsewhere': (place) => {
    writeFileSync(join(place.gitFolder, 'objects', 'info', 'alternates'), `${join(place.root, 'other', 'objects')}\n`)
    return place
  }
}

const planted = fc.record({
  settings: fc.uniqueArray(fc.constantFrom(...programs), { minLength: 1, maxLength: 14 }),
  spelling: fc.nat({ max: spellings.length - 1 }),
  lead: fc.nat({ max: leads.length - 1 }),
  shape: fc.constantFrom(...Object.keys(shapes)),
  attributes: fc.uniqueArray(fc.constantFrom(...attributes), { maxLength: 4 }),
  attributesIn: fc.constantFrom('.gitattributes', 'info', 'attributes'),
  order: fc.nat()
})
type Planted = typeof planted extends fc.Arbitrary<infer Value> ? Value : never

/** Plants the chosen settings in a repository, with a program that leaves a trace in a file beside it when it runs. */
export function plant (root: string, { settings, spelling, lead, shape, attributes, attributesIn }: Planted): Place {
  const traces = `${root}.ran`
  const program = join(root, 'planted.sh')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${traces}'\ncat > /dev/null\nexit 1\n`)
  chmodSync(program, 0o755)
  const place = shapes[shape]?.({ root, gitFolder: join(root, '.git'), program, traces }) ?? { root, gitFolder: join(root, '.git'), program, traces }
  for (const folder of [join(place.gitFolder, 'hooks'), join(root, 'hooks')]) {
    mkdirSync(folder, { recursive: true })
    for (const hook of hooks) cpSync(program, join(folder, hook))
  }
  for (const name of ['git-remote-planted', 'git-planted', 'ssh', 'git']) cpSync(program, join(root, name))
  const lines = `${attributes.join('\n')}\n`
  mkdirSync(join(place.gitFolder, 'info'), { recursive: true })
  writeFileSync(attributesIn === 'info' ? join(place.gitFolder, 'info', 'attributes') : join(root, attributesIn), lines)
  leads[lead]?.(place, settings.map((setting) => written(setting, place, spelling)).join(''))
  return place
}

/** Values for the fields of an operation. */
const fields: Readonly<Record<string, unknown>> = {
  path: 'a.txt', paths: ['.'], kind: 'unstaged', ref: 'side', mode: 'local', message: 'A message', limit: 20, offset: 0, delete_untracked: true, dirty_mode: 'block'
}

/** Returns the operations of the document that use git. */
const operations = once(async (): Promise<Operation[]> => {
  const document = JSON.parse(readFileSync(asset('docs/openapi.json'), 'utf8')) as OpenApi
  return operationsOf(document).filter(({ path }) => /^\/api\/(?:git\b|session\/worktree\/)/.test(path))
})

/** Returns a request as a client sends it: method, path and body, with the fields that the operation names. */
function asked ({ path, method, body, parameters }: Operation, session: string): [method: string, path: string, body?: object] {
  const given = { ...fields, session_id: session }
  const names = method === 'GET' ? parameters.map(({ name }) => name) : Object.keys(body?.schema.properties ?? {})
  const named = Object.entries(given).filter(([key]) => names.length === 0 || names.includes(key))
  if (method !== 'GET') return [method, path, Object.fromEntries(named)]
  return [method, `${path}?${new URLSearchParams(named.map(([key, value]): [string, string] => [key, String(value)])).toString()}`]
}

export const gitSettings: Part = {
  name: 'git',
  says: 'no git route runs a program that a repository names, whatever its settings, attributes, hooks, submodules and worktrees are',
  properties: (folder, onEnd) => {
    const served = serviceOf(folder, onEnd)
    let cases = 0
    const prepared = once(async () => {
      const root = join(folder, 'template')
      template(root)
      return root
    })
    return [
      ['no planted program runs, and each route answers', fc.asyncProperty(planted, async (choice) => {
        const { home, ask } = await served()
        const root = join(workspaceOf(home), `repository-${++cases}`)
        cpSync(await prepared(), root, { recursive: true })
        const { traces } = plant(root, choice)
        const { body: { session: { session_id: session } } } = await ask('POST', '/api/session/new', { workspace: root })
        const all = await operations()
        const turned = choice.order % all.length
        const quietly = async (method: string, path: string, body?: object): Promise<Answer> => {
          const answer = await ask(method, path, body)
          if (existsSync(traces)) throw new Error(`${method} ${path} ran ${readFileSync(traces, 'utf8')}`)
          if (answer.status === 500 || answer.status === 404) throw new Error(`${method} ${path} is answered ${answer.status}: ${JSON.stringify(answer.body)}`)
          return answer
        }
        for (const operation of [...all.slice(turned), ...all.slice(0, turned)]) await quietly(...asked(operation, session as string))
        const apart = await quietly('POST', '/api/session/new', { workspace: root, worktree: true })
        if (apart.status === 200) for (const operation of all) await quietly(...asked(operation, apart.body.session.session_id as string))
        rmSync(root, { recursive: true, force: true })
        return true
      }), 60]
    ]
  }
}
