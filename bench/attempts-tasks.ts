/** A task: its initial files, a correct solution, and a hidden test that no one who works on it sees. */
export interface Task {
  name: string
  message: string
  file: string
  right: string
  /** Wrong solutions: the crude one fails the check that comes with the task, the subtle one only the hidden test. */
  wrong: readonly [crude: string, subtle: string]
  /** Expression about the module `m`, which is part of the task. */
  shown: string
  /** Expression about the module `m`, which only the hidden test has. */
  hidden: string
}

const task = (name: string, message: string, right: string, wrong: Task['wrong'], shown: string, hidden: string): Task =>
  ({ name, message, file: `${name}.mjs`, right, wrong, shown, hidden })
const f = (args: string, body: string): string => `export const f = (${args}) => ${body}\n`

/** Twenty small tasks. The check covers what everyone would try; the hidden test also covers edge cases. */
export const tasks: readonly Task[] = [
  task('sum', 'Add all numbers of a list', f('l', 'l.reduce((a, b) => a + b, 0)'), [f('l', 'l.length'), f('l', 'l.reduce((a, b) => a + b)')],
    'm.f([1, 2, 3]) === 6', 'm.f([]) === 0'),
  task('max', 'Find the largest number of a list, or null', f('l', 'l.length ? Math.max(...l) : null'), [f('l', 'l[0]'), f('l', 'Math.max(...l)')],
    'm.f([1, 9, 3]) === 9', 'm.f([]) === null'),
  task('last', 'Return the last element', f('l', 'l.at(-1)'), [f('l', 'l[0]'), f('l', 'l[l.length - 1] || null')],
    'm.f([1, 2]) === 2', 'm.f([1, 0]) === 0'),
  task('reverse', 'Reverse a text', f('s', "[...s].reverse().join('')"), [f('s', 's'), f('s', "s.split('').reverse().join('')")],
    "m.f('abc') === 'cba'", "m.f('a😀') === '😀a'"),
  task('palindrome', 'Say whether a text is a palindrome, whatever its case', f('s', "(s = s.toLowerCase()) === [...s].reverse().join('')"),
    [f('s', 'true'), f('s', "s === [...s].reverse().join('')")], "m.f('abba') && !m.f('abc')", "m.f('Anna')"),
  task('even', 'Say whether a number is even', f('n', 'n % 2 === 0'), [f('n', 'n % 2 === 1'), f('n', 'n > 0 && n % 2 === 0')],
    'm.f(4) && !m.f(3)', 'm.f(0) && m.f(-2)'),
  task('clamp', 'Keep a number between two others', f('n, a, b', 'Math.min(b, Math.max(a, n))'), [f('n, a, b', 'n'), f('n, a, b', 'Math.min(b, n)')],
    'm.f(9, 1, 5) === 5', 'm.f(0, 1, 5) === 1'),
  task('unique', 'Remove doubles, keep the order', f('l', '[...new Set(l)]'), [f('l', 'l'), f('l', '[...new Set(l)].sort()')],
    'm.f([1, 1, 2]).join() === "1,2"', 'm.f([2, 1, 2]).join() === "2,1"'),
  task('count', 'Count how often a word is in a text, as a word', f('s, w', 's.split(/\\W+/).filter((x) => x === w).length'),
    [f('s, w', '1'), f('s, w', 's.split(w).length - 1')], "m.f('a b a', 'a') === 2", "m.f('a bar', 'a') === 1"),
  task('title', 'Begin each word with a capital', f('s', 's.replace(/(^|\\s)\\S/g, (x) => x.toUpperCase())'),
    [f('s', 's.toUpperCase()'), f('s', 's[0].toUpperCase() + s.slice(1)')], "m.f('abc') === 'Abc'", "m.f('a bc') === 'A Bc'"),
  task('range', 'List the whole numbers from a to b, both included', f('a, b', 'Array.from({ length: Math.max(0, b - a + 1) }, (_, i) => a + i)'),
    [f('a, b', '[a, b]'), f('a, b', 'Array.from({ length: b - a + 1 }, (_, i) => 1 + i)')], 'm.f(1, 3).join() === "1,2,3"', 'm.f(3, 4).join() === "3,4"'),
  task('chunk', 'Cut a list into pieces of n', f('l, n', 'Array.from({ length: Math.ceil(l.length / n) }, (_, i) => l.slice(i * n, i * n + n))'),
    [f('l, n', '[l]'), f('l, n', 'Array.from({ length: Math.floor(l.length / n) }, (_, i) => l.slice(i * n, i * n + n))')],
    'm.f([1, 2, 3, 4], 2).length === 2', 'm.f([1, 2, 3], 2).length === 2'),
  task('leap', 'Say whether a year is a leap year', f('y', 'y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0)'), [f('y', 'false'), f('y', 'y % 4 === 0')],
    'm.f(2024) && !m.f(2023)', '!m.f(1900) && m.f(2000)'),
  task('median', 'Find the median of a list', f('l', '((s, h) => s.length % 2 ? s[h] : (s[h - 1] + s[h]) / 2)([...l].sort((a, b) => a - b), l.length >> 1)'),
    [f('l', 'l[0]'), f('l', '[...l].sort((a, b) => a - b)[l.length >> 1]')], 'm.f([3, 1, 2]) === 2', 'm.f([1, 2, 3, 4]) === 2.5'),
  task('sort', 'Sort numbers, and leave the list as it is', f('l', '[...l].sort((a, b) => a - b)'), [f('l', 'l'), f('l', '[...l].sort()')],
    'm.f([3, 1, 2]).join() === "1,2,3"', 'm.f([10, 9]).join() === "9,10"'),
  task('query', 'Read a query string into an object', f('s', 'Object.fromEntries(new URLSearchParams(s))'),
    [f('s', '({})'), f('s', "Object.fromEntries(s.split('&').map((p) => p.split('=')))")], "m.f('a=1').a === '1'", "m.f('a=b%20c').a === 'b c'"),
  task('gcd', 'Find the greatest common divisor', 'export const f = (a, b) => b === 0 ? Math.abs(a) : f(b, a % b)\n', [f('a, b', '1'), f('a, b', 'Math.min(a, b)')],
    'm.f(2, 4) === 2', 'm.f(12, 18) === 6'),
  task('flat', 'Flatten a list as deeply as it goes', f('l', 'l.flat(Infinity)'), [f('l', 'l'), f('l', 'l.flat()')],
    'm.f([[1], 2]).join("-") === "1-2" && m.f([[1]])[0] === 1', 'm.f([[[1]]])[0] === 1'),
  task('escape', 'Escape a text for HTML', f('s', "s.replace(/[&<>\"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '\"': '&quot;' })[c])"),
    [f('s', 's'), f('s', "s.replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/&(?!lt;|gt;)/g, '&amp;')")],
    "m.f('<b>') === '&lt;b&gt;'", "m.f('\"&lt;\"') === '&quot;&amp;lt;&quot;'"),
  task('digits', 'Add the digits of a number', f('n', '[...String(Math.abs(n))].reduce((a, c) => a + Number(c), 0)'), [f('n', 'n'), f('n', '[...String(n)].reduce((a, c) => a + Number(c), 0)')],
    'm.f(123) === 6', 'm.f(-12) === 3')
]
