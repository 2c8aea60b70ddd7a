// Checks types: of the service, and of what knows a browser (web/tsconfig.json). Tests of the app start a whole service, so both programs hold all
// of it; what the first one has checked is not checked again in the second, which only reads the types of it.
import ts from 'typescript'

const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => print([problem]) }
const checked = new Set()
let isGood = true
for (const path of ['tsconfig.json', 'web/tsconfig.json']) isGood = check(path) && isGood
if (!isGood) process.exitCode = 1

/** Whether there is nothing wrong with what a file of options names; what is wrong is printed. */
function check (path) {
  const config = ts.getParsedCommandLineOfConfigFile(path, {}, host)
  if (config === undefined) return false
  const { fileNames: rootNames, options, errors, projectReferences } = config
  const program = ts.createIncrementalProgram({ rootNames, options, projectReferences, configFileParsingDiagnostics: errors })
  const named = new Set(rootNames)
  const isOwn = ({ fileName }) => named.has(fileName) || !checked.has(fileName)
  const files = program.getSourceFiles().filter(isOwn)
  // First what has changed and what that touches: else nothing of it would be remembered.
  while (program.getSemanticDiagnosticsOfNextAffectedFile(undefined, (file) => !isOwn(file)) !== undefined);
  const problems = [
    ...program.getConfigFileParsingDiagnostics(), ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  ]
  for (const { fileName } of files) checked.add(fileName)
  // What it remembers for the next time.
  program.emit()
  if (problems.length > 0) print(problems)
  return problems.every(({ category }) => category !== ts.DiagnosticCategory.Error)
}

function print (problems) {
  const format = { getCanonicalFileName: (name) => name, getCurrentDirectory: ts.sys.getCurrentDirectory, getNewLine: () => ts.sys.newLine }
  console.error(ts.formatDiagnosticsWithColorAndContext(ts.sortAndDeduplicateDiagnostics(problems), format))
}
