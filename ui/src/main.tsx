import { createRoot } from "react-dom/client";
import { App } from "./app";
import "./style/tokens.css";
import "./style/base.css";
import "./style/layout.css";
import "./style/parts.css";
import "./style/run.css";
import "./style/schedule.css";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
