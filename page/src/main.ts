// SPDX-License-Identifier: Apache-2.0
import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { applyTheme, theme } from './lib/theme.svelte';

applyTheme(theme.choice);
mount(App, { target: document.getElementById('app')! });
