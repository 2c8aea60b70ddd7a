/** Returns a command line of about that many characters. */
export type Shape = (characters: number) => string

const again = (unit: string, before = '', after = ''): Shape => (characters) =>
  before + unit.repeat(Math.max(1, Math.floor((characters - before.length - after.length) / unit.length))) + after
const inside = (open: string, close: string, middle = 'ls'): Shape => (characters) => {
  const times = Math.max(1, Math.floor((characters - middle.length) / (open.length + close.length)))
  return open.repeat(times) + middle + close.repeat(times)
}
const halves = (first: Shape, second: Shape): Shape => (characters) => first(characters / 2) + second(characters / 2)
const numbered = (unit: (number: number) => string): Shape => (characters) =>
  Array.from({ length: Math.ceil(characters / unit(1_000).length) }, (_, index) => unit(index)).join('')
const values = Array.from({ length: 31 }, (_, index) => `A=${index};`).join('')
const folders = Array.from({ length: 15 }, (_, index) => `cd a${index};`).join('')

/** Ways to make a parser of command lines do more work than the line is long. */
export const shapes: Record<string, Shape> = {
  'find -exec': again('find . -exec '),
  'one find with many -exec': again('-exec ', 'find . '),
  'one find with many complete -exec': again('-exec ls {} \\; ', 'find . '),
  'find -exec sh -c': again('find . -exec sh -c x {} + '),
  'folders times -exec': halves(again('a ', 'find '), again('-exec rm {} + ')),
  'folders times places': halves(again('a ', 'find '), again('{} ', '-exec rm ', '+')),
  'cd to the same': again('cd a;'),
  'cd to others': numbered((number) => `cd a${number};`),
  'cd to certain ones': numbered((number) => `cd /a${number};`),
  'cd upwards': again('cd ..;'),
  'folders times words': again('b ', `${folders}rm -rf `),
  'folders times commands': again('rm -rf b;', folders),
  substitutions: inside('$(', ')'),
  'substitutions in quotes': inside('"$(', ')"'),
  'substitutions that print': inside('$(echo ', ')'),
  'open substitutions': again('$(', 'echo '),
  backquotes: again('`'),
  'process substitutions': inside('cat <(', ')'),
  defaults: inside('${a:-', '}'),
  'defaults in quotes': inside('"${a:-', '}"'),
  replacements: again('${a//b/'),
  indexes: inside('${a[', ']}'),
  arithmetic: inside('$((', '))', '1'),
  braces: again('{a,b}', 'echo '),
  'braces in braces': inside('{a,', '}', 'b'),
  'many lists': again('{a,b,c,d,e}{a,b,c,d,e} ', 'rm -rf '),
  'values times words': again('$A ', `${values}rm `),
  'values times programs': again('$A;', values),
  'values that double': again('X=$X$X;', 'X=aaaa;'),
  'values of many words': halves(again('a ', 'X="', '";'), again('$X;')),
  'arguments that double': again('set -- "$@" "$@";', 'set -- a b;'),
  'arguments times words': halves(again('a ', 'set -- ', ';'), again('"$@" ', 'rm ')),
  'functions that call functions': numbered((number) => `f${number}() { f${number + 1}; f${number + 1}; };`),
  'a function many times': halves(again('rm x;', 'f() { ', '};'), again('f;')),
  'functions in functions': inside('f() { ', '; }'),
  eval: again('eval '),
  'eval of text': again('eval ls;', "eval '", "'"),
  'eval of a long value': halves(again('ls;', "X='", "';"), again('eval $X;')),
  'bash -c': again('bash -c "'),
  'bash -c of a long value': halves(again('ls;', "X='", "';"), again('bash -c "$X";')),
  'here-documents': again('cat <<EOF\nx\nEOF\n'),
  'here-documents on one line': again('<<EOF ', 'cat '),
  'here-documents for shells': again('bash <<< "ls";'),
  'lines times places': halves(again('{} ', 'xargs -I{} rm ', '<<E\n'), again('a\n', '', 'E\n')),
  sudo: again('sudo '),
  'env -S': again('env -S '),
  xargs: again('xargs -I{} '),
  parallel: halves(again('{} ', 'parallel echo ', '::: '), again('a ')),
  ssh: again('ssh a '),
  npx: again('npx sh '),
  'git rebase -x': again('git rebase -x '),
  'git -c': again('-c alias.x=!ls ', 'git ', 'x'),
  alias: again('alias a=b; '),
  trap: again('trap "'),
  let: again("let 'x[$(let "),
  'files that are not there': numbered((number) => `cat /nothing/${number} `),
  'wild files': again('/?* ', 'rm -rf '),
  brackets: again('[', 'rm -rf /'),
  stars: again('*', 'rm -rf /', 'x'),
  'parts of a mapping': again('/b:', 'docker '),
  settings: again('a=/b,', 'docker '),
  redirections: again('> a '),
  'sed scripts': again("-e 's/a/b/' ", 'sed '),
  'spaces in sed': again(' ', "sed '1", "' x"),
  'awk programs': again("'print a' ", 'awk '),
  pipes: again('ls | '),
  'many keys': numbered((number) => `a${number};`),
  'an address of many parts': again('a:', 'git push '),
  'a path of many marks': again('a@', 'git push '),
  'a list of many parts': again('{a', "git push '", "'"),
  'arithmetic in a value': again('a[', "x='", "'"),
  'slashes in awk': again('a/', "awk '", "'"),
  'many hosts': numbered((number) => `curl http://a${number}.b;`)
}
