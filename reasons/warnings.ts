/** Warnings about a turn that continues, in whole sentences. `why` is the sentence of whatever failed. */
export const warnings = {
  agent_asked_unshown: ({ agent, why }: { agent: string, why: string }) =>
    `${agent} asked for something that cannot be shown here, and was told so. ${why}`,
  agent_kept_from: ({ agent, place, key, value }: { agent: string, place: string, key: string, value: string }) =>
    `${agent} was kept from ${place}: "network" of ${agent} does not name it. To open it, set ${key} to ${value} in config.yaml.`,
  agent_kept_from_metadata: ({ agent, place }: { agent: string, place: string }) =>
    `${agent} was kept from ${place}: that is where clouds keep credentials of their machines, so it cannot be opened.`,
  agent_kept_from_private: ({ agent, place, key, value }: { agent: string, place: string, key: string, value: string }) =>
    `${agent} was kept from ${place}: it is on this machine or in a private network. To open it, set ${key} to ${value} in config.yaml.`,
  agent_plan_unheld: ({ agent }: { agent: string }) =>
    `${agent} runs outside the sandbox. In plan mode what it asks for is refused if it would change anything; what it does without asking cannot be held back.`,
  agent_unconfined: ({ agent, why }: { agent: string, why: string }) =>
    `${agent} runs outside the sandbox, as the user of the service: ${why}.`,
  agent_without_servers: ({ agent, servers }: { agent: string, servers: string }) => `${agent} is not given these MCP servers: ${servers}.`,
  bits_taken: ({ files }: { files: string }) =>
    `Whoever starts these programs would do so as the service's user or group, so their set-user and set-group bits were taken away: ${files}.`,
  call_refused: ({ call, why }: { call: string, why: string }) => `${call}: ${why}`,
  changes_stay: ({ why }: { why: string }) => `This turn's changes to the workspace cannot be undone: ${why}`,
  git_planted: ({ files }: { files: string }) =>
    `A command in the sandbox has left something that git would run or follow outside of it: ${files}. The next command outside the sandbox asks, whatever has been allowed.`,
  git_planted_by: ({ agent, files }: { agent: string, files: string }) =>
    `${agent} has left something that git would run or follow outside of it: ${files}. The next command outside the sandbox asks, whatever has been allowed.`,
  git_undone: ({ files }: { files: string }) => `What a command in the sandbox has changed for git was undone: ${files}.`,
  git_undone_by: ({ agent, files }: { agent: string, files: string }) => `What ${agent} has changed for git was undone: ${files}.`,
  image_undescribed: ({ model, why }: { model: string, why: string }) => `An image could not be described to ${model}: ${why}`,
  image_unseen: ({ model }: { model: string }) => `${model} cannot see images, and no model that can is set up for it.`,
  instructions_changed: ({ files }: { files: string }) =>
    `Instructions for agents were changed without the user having been asked: ${files}. What those of the workspace say counts from when the user has accepted it.`,
  mcp_unanswered: ({ server, why }: { server: string, why: string }) => `The MCP server "${server}" got no answer of the model: ${why}`,
  page_unextracted: ({ why }: { why: string }) => `A web page could not be extracted, and goes to the model as it is: ${why}`,
  recall_unsummed: ({ why }: { why: string }) =>
    `What was found in earlier conversations could not be summed up, and goes to the model as it is: ${why}`,
  terminal_wrote: ({ program }: { program: string }) =>
    `${program} has written in this conversation while this turn was at work. What was said there follows the answer; the two did not know of each other.`
}
