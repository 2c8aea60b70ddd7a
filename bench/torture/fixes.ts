/** What was done about a finding of torture: the page shows it beside the finding. */
export interface Fix {
  scenario: string
  seed: number
  /** One sentence: the cause, and what is different now. */
  says: string
}

export const fixes: Fix[] = [
  {
    scenario: 'machines', seed: 175_503_191,
    says: 'The scenario did not ask again while the machine was still away, which 503 tells a client to do; it does now.'
  },
  {
    scenario: 'migrations', seed: 175_503_191,
    says: 'The scenario compared the progress of a task that the service does in the background after a start; it is not compared any more.'
  },
  {
    scenario: 'unwritable-log', seed: 236_083_184,
    says: 'A draft of the scenario wrote too little to fill the pipe; the committed one floods the log.'
  },
  {
    scenario: 'responses', seed: 291_101,
    says: 'A service that was killed between storing that a host gets a turn and handing it over left a turn that nobody had; it begins with the next service now.'
  },
  {
    scenario: 'parked', seed: 301_202,
    says: 'The scenario left turns waiting whose start had not been answered when the service was killed; it resumes them now.'
  },
  {
    scenario: 'attempts', seed: 301_202,
    says: 'The scenario looked before the new service had finished what the kill had interrupted, and removed an attempt that was then applied; it waits now.'
  },
  {
    scenario: 'peers', seed: 301_401,
    says: 'The scenario expected such a turn to fail; since turns wait for the end of a limit, it waits until somebody cancels it, which is expected now.'
  },
  {
    scenario: 'outliving', seed: 301_401,
    says: 'The machine was busy with other work: the median was 28 times that of other runs. The limit is on the median now.'
  },
  {
    scenario: 'saves', seed: 301_303,
    says: 'What a kill left of the record of an import of skills was kept with the import, for a day; it is removed after the start now.'
  }
]
