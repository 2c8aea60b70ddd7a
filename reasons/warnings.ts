/** Warnings about a turn that continues, in whole sentences. `why` is the sentence of whatever failed. */
export const warnings = {
  agent_asked_unshown: ({ agent, why }: { agent: string, why: string }) =>
    `${agent} asked for something that cannot be shown here, and was told so. ${why}`,
  agent_kept_from: ({ agent, place, key, value }: { agent: string, place: string, key: string, value: string }) =>
    `${agent} was blocked from reaching ${place}, which its "network" does not list. To allow it, set ${key} to ${value} in config.yaml.`,
  agent_kept_from_metadata: ({ agent, place }: { agent: string, place: string }) =>
    `${agent} was blocked from reaching ${place}, where clouds keep the credentials of their machines. This address cannot be allowed.`,
  agent_kept_from_private: ({ agent, place, key, value }: { agent: string, place: string, key: string, value: string }) =>
    `${agent} was blocked from reaching ${place}, on this machine or in a private network. To allow it, set ${key} to ${value} in config.yaml.`,
  agent_plan_after_edit: ({ agent }: { agent: string }) =>
    `${agent} wrote another plan. It was not saved, because you have edited the plan.`,
  agent_plan_unheld: ({ agent }: { agent: string }) =>
    `${agent} runs outside the sandbox. In plan mode, its requests to change something are denied, but what it does without asking cannot be prevented.`,
  agent_plan_unsaved: ({ agent, why }: { agent: string, why: string }) => `The plan of ${agent} was not saved: ${why}`,
  agent_plan_without_steps: ({ agent }: { agent: string }) =>
    `The plan of ${agent} has no steps, so it cannot be started. Add them to the plan as a task list (- [ ] …).`,
  agent_unconfined: ({ agent, why }: { agent: string, why: string }) =>
    `${agent} runs outside the sandbox, with the rights of the service: ${why}.`,
  agent_without_servers: ({ agent, servers }: { agent: string, servers: string }) => `${agent} does not get these MCP servers: ${servers}.`,
  bits_taken: ({ files }: { files: string }) =>
    `These programs would have run with the rights of the service, whoever starts them. Their setuid and setgid bits were removed: ${files}.`,
  call_refused: ({ call, why }: { call: string, why: string }) => `Refused: ${call}. ${why}`,
  changes_stay: ({ why }: { why: string }) => `This turn's changes to the workspace cannot be undone: ${why}`,
  git_planted: ({ files }: { files: string }) =>
    `A command in the sandbox left something that git would run or follow outside it: ${files}. The next command outside the sandbox asks you, whatever is already allowed.`,
  git_planted_by: ({ agent, files }: { agent: string, files: string }) =>
    `${agent} left something that git would run or follow outside the sandbox: ${files}. The next command outside the sandbox asks you, whatever is already allowed.`,
  git_undone: ({ files }: { files: string }) => `A command in the sandbox changed what git runs or follows. This was undone: ${files}.`,
  git_undone_by: ({ agent, files }: { agent: string, files: string }) => `${agent} changed what git runs or follows. This was undone: ${files}.`,
  image_undescribed: ({ model, why }: { model: string, why: string }) => `An image could not be described for ${model}: ${why}`,
  image_unseen: ({ model }: { model: string }) => `${model} cannot see images, and no model is set up to describe them.`,
  folder_rules: ({ path }: { path: string }) => `The rules in ${path} apply to files below its folder.`,
  folder_rules_unaccepted: ({ path }: { path: string }) =>
    `The rules in ${path} are not followed: they were changed without asking. To accept them, open a conversation in that folder.`,
  instructions_changed: ({ files }: { files: string }) =>
    `Instructions for agents were changed without asking you: ${files}. Those of the workspace apply once you have accepted them.`,
  mcp_unanswered: ({ server, why }: { server: string, why: string }) => `The MCP server "${server}" got no answer from the model: ${why}`,
  page_unextracted: ({ why }: { why: string }) => `The main points of a web page could not be extracted, so the model gets the whole page: ${why}`,
  recall_unsummed: ({ why }: { why: string }) =>
    `What was found in earlier chats could not be summarised, so the model gets it unchanged: ${why}`,
  terminal_wrote: ({ program }: { program: string }) =>
    `${program} wrote in this chat during this turn. What was said there follows the answer; neither knew of the other.`
}
