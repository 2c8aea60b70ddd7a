/** Programs that change no file, whatever plain words they are given. */
const lookers = new Set(['cat', 'tac', 'nl', 'ls', 'dir', 'head', 'tail', 'grep', 'egrep', 'fgrep', 'wc', 'stat', 'diff', 'cmp', 'comm', 'cd', 'pwd', 'du', 'df', 'cut', 'od', 'hexdump', 'strings',
  'md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'cksum', 'b2sum', 'readlink', 'realpath', 'echo', 'printf', 'true', 'false', ':', 'basename', 'dirname', 'which', 'type', 'sleep', 'seq', 'uname', 'whoami', 'id'])
/** Words without redirections, substitutions, assignments and jobs. */
const plainWords = /^[^<>$`()&;|{}\\=!]+$/

/** Returns true for a command line that plainly changes no file; false if a glance is not enough to tell. */
export function onlyLooks (command: string): boolean {
  return command.trim() !== '' && command.split(/&&|\|\||[|;\n]/).every((part) => {
    const words = part.trim()
    return words === '' || (plainWords.test(words) && words.split(/\s/, 1).every((program) => lookers.has(program)))
  })
}
