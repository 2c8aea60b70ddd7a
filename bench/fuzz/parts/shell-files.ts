/* eslint-disable no-template-curly-in-string -- these are command lines */

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type CommandOrder, readOrder } from '../../../services/agent/policy/shell/reading.js'
import { quoted } from './bash.js'
import { type Part } from './part.js'

/** Names in the workspace, most of which are links or lead through one, and patterns that find them. */
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('k', 'd', 'sub', 'sub/k', 'sub/deep', 'd/notes', 'inside', 'inside/k', 'a', 'b.txt', 'src', 'e',
    'e/k', 'e/sub/k', 'e/y/sub/k', 'e/y/z', 'e/y/z/k', 'f', 'f/src/on', 'up', 'up/other/notes') },
  { weight: 3, arbitrary: fc.constantFrom('*', '?', '[k]', '[!a]', 'k*', 's*', '*/k', 's*/k', '*/*', 'd*/n*', 'sub/*', 'inside/*', 'e*',
    'e/*', 'e/*/*', 'e/y/*', '*/y/z', '*/deep/*', '[dk]*', '*.txt', '.*', '**', './k*', '"$PWD"/k*', '../workspace/k*', '{k,a}', '{s,e}*/k',
    'sub/../k*') },
  fc.constantFrom('"$X"', '$X', '$X/k', '"${X}"/*', '$1', '"$@"', '$(echo k)', '$(echo *)', '$(cat k)', '`echo d/n*`', '${Y:-k*}',
    '~/other/n*', '$HOME/.ssh/*', '../other/notes', '"k"', "'d'/notes", 'k""', '$((1))', '-')
)
const names = fc.array(name, { minLength: 1, maxLength: 2 }).map((words) => words.join(' '))
const target = fc.constantFrom('e', 'f', 'sub', 'src', 'a', 'k2', 'e/x', 'inside', '.', 'e/y/z', 'e/y', 'f/src')

const reading = fc.tuple(fc.constantFrom('cat', 'cat', 'cat', 'head -n1', 'wc -l', 'grep -h .', 'sort', 'sed -n 1p', 'od -c', 'tail -n1 --',
  'cmp a', 'diff a', 'base64', 'awk 1'), names).map((parts) => parts.join(' '))
const through = fc.tuple(fc.constantFrom('grep -r .', 'grep -R .', 'grep -hR .', 'find', 'ls -R', 'du -a', 'tar cf /dev/null',
  'tar chf /dev/null', 'diff -r src', 'cp -rL -t f', 'ls -L', 'find -L', 'ls', 'ls -d', 'du -L', 'wc -c'), name)
  .map((parts) => parts.join(' '))
const finding = fc.tuple(name, fc.constantFrom('', '-type f', '-name "k*"', '-type l', '-follow'), fc.constantFrom('cat {} +', 'cat {} \\;',
  'head -n1 {} +', 'sh -c \'cat "$1"\' _ {} \\;', 'echo {} +')).map(([root, select, run]) => `find ${root} ${select} -exec ${run}`)
const moving = fc.tuple(fc.constantFrom('mv', 'mv -f', 'cp -P', 'cp -r', 'cp -a', 'cp', 'ln -s', 'ln', 'cp -rT', 'ln -sfn', 'cp -al',
  'cp -s'), name, target).map((parts) => parts.join(' '))
const writing = fc.oneof(
  fc.tuple(fc.constantFrom('tee', 'touch', 'truncate -s0', 'chmod u+w', 'sed -i s/o/0/', 'tee -a', 'dd status=none of=k if=', 'rm -f',
    'rm -rf'), name).map((parts) => parts.join(' ').replace('= ', '=')),
  fc.tuple(fc.constantFrom('>', '>>', '>|', '<>', '1>'), name).map(([how, where]) => `echo x ${how} ${where}`)
)
const input = fc.tuple(fc.constantFrom('cat', 'while read -r L; do echo "$L"; done', 'sort', 'xargs cat', 'xargs -n1 cat', 'read -r Y'),
  fc.constantFrom('<', '<', '0<', '<>'), name).map((parts) => parts.join(' '))
const other = fc.oneof(
  name.map((to) => `cd ${to}`), fc.tuple(fc.constantFrom('X', 'Y'), name).map(([variable, value]) => `${variable}=${value}`),
  names.map((words) => `set -- ${words}`),
  name.map((word) => `echo "$(<${word})"`), name.map((word) => `echo ${word} | xargs cat`),
  names.map((word) => `cat <<E\n$(cat ${word})\nE`), name.map((word) => `cat <<< "$(cat ${word})"`),
  name.map((word) => `trap ${quoted(`cat ${word}`)} EXIT`),
  fc.constantFrom('mkdir -p e', 'mkdir -p f', 'mkdir -p e/y', 'mkdir -p e/y/z', 'mv e f', 'true', 'set -f', 'shopt -s globstar',
    'shopt -s dotglob', 'ls | xargs cat', 'shift', 'unset X', 'pushd d', 'cd ..', 'cd -', 'alias c=cat', 'printf -v X k', 'read -r X <<< k',
    'for X; do cat "$X"; done', 'tar cf t.tar sub; tar xf t.tar -C e; cat e/sub/k', 'exec < k; cat', 'exec 3< k; cat <&3', '. ./k',
    'git init -q e')
)
const simple = fc.oneof(
  { weight: 4, arbitrary: reading }, { weight: 2, arbitrary: through }, finding,
  { weight: 4, arbitrary: moving }, { weight: 2, arbitrary: writing }, input, { weight: 3, arbitrary: other }
)
const many = fc.array(simple, { minLength: 1, maxLength: 2 }).map((lines) => lines.join('; '))
const compound = fc.oneof(
  { weight: 6, arbitrary: simple },
  many.map((body) => `(${body})`), many.map((body) => `{ ${body}; }`),
  fc.tuple(many, names).map(([body, words]) => `f() { ${body}; }; f ${words}`),
  fc.tuple(simple, fc.constantFrom('&&', '||', '|', '&'), simple).map((parts) => parts.join(' ')),
  fc.tuple(names, many).map(([words, body]) => `for X in ${words}; do ${body}; done`),
  fc.tuple(simple, many).map(([test, body]) => `if ${test}; then ${body}; fi`),
  fc.tuple(name, many).map(([word, body]) => `case ${word} in *) ${body};; esac`),
  many.map((body) => `sh -c ${quoted(body)} x k`), many.map((body) => `eval ${quoted(body)}`),
  many.map((body) => `for I in 1 2; do ${body}; done`), many.map((body) => `: "$(${body})"`),
  name.map((word) => `for X in ${word}; do cat "$X" "$X"/* 2>&1; done`)
)
const line = fc.array(compound, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))

/** What is outside of the workspace: each text is to be read, and each file changed, only by lines that ask. */
const outside = { '.ssh/id_rsa': 'PRIVATE', 'other/notes': 'NOTES', 'other/k': 'OTHER' }
const isSecret = (path: string): boolean => path.startsWith('.ssh')

/** Links in the workspace. A line is run with few of them, so that what it needs for one does not hide another. */
const links = Object.entries({
  k: '../.ssh/id_rsa', d: '../other', up: '..', 'sub/k': '../../.ssh/id_rsa', 'sub/deep/o': '../../../other', 'inside/k': '../a',
  'inside/on': '../sub', '.dot': '../other/k', 'src/on': '../sub/deep/o', b: 'k', 'a b': '../other/notes'
})
const situation = fc.record({ line, links: fc.subarray(links, { minLength: 1, maxLength: 3 }) })

interface Place {
  lands: CommandOrder['lands']
  /** Puts everything as it was at first, with these links. */
  restore (links: ReadonlyArray<readonly [string, string]>): void
  /** Runs a line; returns what it has done outside of the workspace: "reads …" or "writes …" with a path in the home folder. */
  run (line: string, shell: string): string[]
}

/** Creates a place where lines can harm nothing; returns a sentence if that is not possible here. */
function createPlace (root: string): Place | string {
  const home = join(root, 'home')
  const workspace = join(home, 'workspace')
  const template = join(root, 'template')
  for (const folder of ['sub/deep', 'src', 'inside', 'none']) mkdirSync(join(template, folder), { recursive: true })
  for (const file of ['a', 'b.txt', 'src/c.ts', 'sub/x', '.hidden']) writeFileSync(join(template, file), `${file}\n`)
  const restore = (chosen: ReadonlyArray<readonly [string, string]>): void => {
    rmSync(home, { recursive: true, force: true })
    for (const [path, text] of Object.entries(outside)) {
      mkdirSync(join(home, path, '..'), { recursive: true })
      writeFileSync(join(home, path), `${text}\n`)
    }
    cpSync(template, workspace, { recursive: true })
    for (const [path, target] of chosen) symlinkSync(target, join(workspace, path))
  }
  const log = join(root, 'log')
  const confined = (text: string, shell: string) => spawnSync('bwrap', [
    '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', root, root, '--unshare-net', '--unshare-pid', '--die-with-parent',
    '--chdir', workspace,
    'strace', '-f', '-qq', '-y', '-e', 'trace=open,openat,creat', '-e', 'signal=none', '-o', log, 'timeout', '3', shell, '-c', text
  ], { env: { PATH: '/usr/bin:/bin', HOME: home, LC_ALL: 'C.UTF-8' }, timeout: 10_000, input: '', encoding: 'utf8' })
  const run = (text: string, shell: string): string[] => {
    rmSync(log, { force: true })
    const { stdout } = confined(text, shell)
    const opened = (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').flatMap((call) => {
      const [, mode = '', path = ''] = /(O_(?:RDONLY|WRONLY|RDWR)[^)]*?)(?:, 0\d+)?\) = \d+<([^>]*)>$/.exec(call) ?? []
      // Folders are listed by whoever looks for names in them.
      if (!path.startsWith(`${home}/`) || path.startsWith(`${workspace}/`) || path === workspace || mode.includes('O_DIRECTORY')) return []
      return [`${/WRONLY|RDWR/.test(mode) ? 'writes' : 'reads'} ${path.slice(home.length + 1)}`]
    })
    const told = Object.entries(outside).filter(([, secret]) => stdout.includes(secret)).map(([path]) => `reads ${path}`)
    const changed = Object.entries(outside).filter(([path, secret]) => !existsSync(join(home, path)) || readFileSync(join(home, path),
      'utf8') !== `${secret}\n`)
      .map(([path]) => `writes ${path}`)
    return [...new Set([...opened, ...told, ...changed])]
  }
  restore(links)
  return confined('true', 'sh').status === 0 && run('cat k', 'sh').length === 1
    ? { lands: { workspace, home: join(home, '.svc'), serviceRoots: [], userHome: home }, restore, run }
    : 'It takes bwrap and strace, which do not work here.'
}

const written = /^write:(?:outside|protected)$/
const read = /^(?:read|write):(?:outside|protected)$/

/** Returns whether the permissions that a line needs cover what it has done. */
const isAsked = (keys: readonly string[], action: string): boolean => {
  const [how = '', path = ''] = action.split(' ')
  return keys.some((key) => (how === 'reads' ? read : written).test(key) && (!isSecret(path) || key.endsWith(':protected')))
}

export const shellFiles: Part = {
  name: 'shell-files',
  says: 'what bash and dash read and write outside of the workspace, through links, was asked about',
  properties: (folder) => {
    const place = createPlace(mkdtempSync(join(folder, 'files-')))
    if (typeof place === 'string') {
      console.log(`shell-files is left out. ${place}`)
      return []
    }
    return ['bash', 'dash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0).map((shell) => [
      `what ${shell} does outside of the workspace was asked about`,
      fc.property(situation, ({ line: command, links: chosen }) => {
        place.restore(chosen)
        const { keys, forbidden } = readOrder({ command, isPlainShell: shell === 'dash', lands: place.lands })
        return forbidden !== null || keys.includes('shell:opaque') || place.run(command, shell).every((action) => isAsked(keys, action))
      }), 40
    ])
  }
}
