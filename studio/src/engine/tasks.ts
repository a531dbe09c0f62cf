/** All tasks of the engine, by name. */

import { deviceTasks } from "./devices";
import { exploreTasks } from "./exploreTasks";
import { lookTasks } from "./lookTasks";
import { modelTasks } from "./models";
import { paperTasks } from "./paper/paperTasks";
import { restoreTasks } from "./restoreTasks";

export const tasks = {
  ...deviceTasks,
  ...modelTasks,
  ...exploreTasks,
  ...lookTasks,
  ...restoreTasks,
  ...paperTasks,
};

export type Tasks = typeof tasks;
