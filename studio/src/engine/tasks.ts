/** All tasks of the engine, by name. */

import { deviceTasks } from "./devices";
import { modelTasks } from "./models";

export const tasks = {
  ...deviceTasks,
  ...modelTasks,
};

export type Tasks = typeof tasks;
