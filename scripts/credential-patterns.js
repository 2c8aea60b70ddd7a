// Evaluates the service's own patterns of credentials at build time: parsing them in each process took some 30 ms of a start and its first
// turn, and a megabyte for the parser.
import { build } from 'esbuild'

const folder = 'services/ground/redaction'

/** Returns the text of a module with the used exports of `open.ts`, as tables of their results for those patterns. */
async function tables () {
  const { outputFiles: [file] } = await build({
    stdin: {
      contents: "export { prepareOpenings } from './open-at.js'\nexport { results } from './open.js'", resolveDir: folder, loader: 'ts'
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning'
  })
  const { prepareOpenings, results } = await import(`data:text/javascript;base64,${Buffer.from(file.contents).toString('base64')}`)
  await prepareOpenings()
  return `
    // Patterns of the build have these letters as escapes.
    const keyOf = (source, flags) => \`\${flags}/\${source.replaceAll(/[^\\x20-\\x7e]/g, (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0'))}\`
    function found (of, source, flags) {
      const made = of.get(keyOf(source, flags))
      if (made === undefined) throw new Error(\`The build did not see the pattern \${source}\`)
      return made
    }
  ${Object.entries(results).map(([name, made]) => `
    const of${name} = new Map([${[...made].map(([key, value]) => `[${JSON.stringify(keyOf(key))}, ${typeof value === 'string' ? JSON.stringify(value) : value}]`)}])
    export const ${name} = (source, flags) => found(of${name}, source, flags)`).join('\n')}`
}

const keyOf = (text) => text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** @type {import('esbuild').Plugin} */
export const credentialPatterns = {
  name: 'credentialPatterns',
  setup ({ onLoad }) {
    onLoad({ filter: /redaction.open\.ts$/ }, async () => ({ contents: await tables(), loader: 'js' }))
  }
}
